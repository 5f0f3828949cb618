// Text of others: which bytes make a character?
#include "base/base.h"

size_t nc_utf8_length(const unsigned char *s)
{
    const size_t length = s[0] < 0x80                     ? 1
                          : (s[0] >= 0xc2 && s[0] < 0xe0) ? 2
                          : (s[0] & 0xf0) == 0xe0         ? 3
                          : (s[0] >= 0xf0 && s[0] < 0xf5) ? 4
                                                          : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    // overlong forms, surrogates, beyond the last plane
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}
