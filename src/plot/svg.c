// The page of a plot: its style, its heading, where the panels go.
#include "plot/plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MARGIN       20.0
#define PANEL_WIDTH  470.0
#define PANEL_HEIGHT 250.0
#define ALONE_WIDTH  760.0
#define ALONE_HEIGHT 400.0
#define GAP          22.0

// The length of the UTF-8 character at `s` if XML may hold it, else 0.
static size_t character_length(const unsigned char *s)
{
    const bool control = s[0] < 0x20 || s[0] == 0x7f;
    const size_t length = control ? 0 : nc_utf8_length(s);
    const bool reserved = length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe; // U+FFFE, U+FFFF
    return reserved ? 0 : length;
}

void nc_xml_text(const char *text, FILE *out)
{
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        const size_t length = character_length(s);
        if (length == 0)
            fputs("?", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '"')
            fputs("&quot;", out);
        else
            fwrite(s, 1, length, out);
        s += length == 0 ? 1 : length;
    }
}

double nc_plot_text_width(const char *text, double size)
{
    int characters = 0;
    for (const char *c = text; *c != '\0'; c++)
        characters += ((unsigned char)*c & 0xc0) != 0x80;
    return 0.56 * size * characters;
}

static void draw_style(FILE *out)
{
    fputs("<style>\n"
          "text{font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;fill:#222}\n"
          ".t{font-size:18px;font-weight:600}.s{font-size:12px;fill:#666}\n"
          ".h{font-size:13px;font-weight:600}.u{font-size:11px;font-weight:400;fill:#666}\n"
          ".n{font-size:11px;fill:#555;font-variant-numeric:tabular-nums}.l{font-size:11px;fill:#333}\n"
          ".g{font-size:10.5px;fill:#777}.mid{text-anchor:middle}.end{text-anchor:end}\n"
          "path{fill:none}.grid{stroke:#e6e6e6}.zero{stroke:#aaa}.tick,.frame{stroke:#888}\n"
          ".guide{stroke:#888;stroke-dasharray:1 3}\n"
          ".line{stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}\n"
          ".other{stroke-width:1.4;stroke-dasharray:5 3.5;stroke-linecap:butt}\n"
          ".key{stroke-width:2.4}.patch{stroke-width:9}.layer{stroke:#fff;stroke-width:.4}\n"
          "</style>\n",
          out);
}

// Which run has which kind of line.
static void draw_run_key(const nc_plot *plot, double x, double y, FILE *out)
{
    for (int i = 0; i < plot->run_count; i++) {
        fprintf(out, "<path class=\"line%s\" d=\"M%.2f %.2fh26\" style=\"stroke:#444\"/>", i > 0 ? " other" : "", x,
                y - 4);
        fprintf(out, "<text class=\"l\" x=\"%.2f\" y=\"%.2f\">", x + 32, y);
        nc_xml_text(plot->runs[i].label, out);
        fputs("</text>\n", out);
        x += 32 + nc_plot_text_width(plot->runs[i].label, 11) + 20;
    }
}

static const char *heading(const nc_plot *plot)
{
    const nc_plot_run *run = &plot->runs[0];
    return plot->title != NULL ? plot->title : run->title[0] != '\0' ? run->title : run->label;
}

static void draw_heading(const nc_plot *plot, FILE *out)
{
    const nc_plot_run *run = &plot->runs[0];
    fprintf(out, "<text class=\"t\" x=\"%.0f\" y=\"38\">", MARGIN);
    nc_xml_text(heading(plot), out);
    fputs("</text>\n", out);
    if (plot->run_count > 1) {
        draw_run_key(plot, MARGIN, 60, out);
        return;
    }
    fprintf(out, "<text class=\"s\" x=\"%.0f\" y=\"58\">", MARGIN);
    nc_xml_text(run->label, out);
    fprintf(out, " · %d bod%s · %" PRId64 " frame%s, %" PRId64 " steps</text>\n", run->bodies,
            run->bodies == 1 ? "y" : "ies", run->frames, run->frames == 1 ? "" : "s",
            run->reports[run->frames - 1].common.step);
}

void nc_plot_draw(const nc_plot *plot, FILE *out)
{
    const bool alone = plot->panel_count == 1;
    const int across = alone ? 1 : 2, down = (plot->panel_count + across - 1) / across;
    const double w = alone ? ALONE_WIDTH : PANEL_WIDTH, h = alone ? ALONE_HEIGHT : PANEL_HEIGHT;
    const double width = 2 * MARGIN + across * w + (across - 1) * GAP;
    const double height = 76 + down * h + (down - 1) * GAP + MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "role=\"img\">\n<title>",
            width, height, width, height);
    nc_xml_text(heading(plot), out);
    fputs("</title>\n", out);
    draw_style(out);
    fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width, height);
    draw_heading(plot, out);
    for (int i = 0; i < plot->panel_count; i++) {
        const int column = i % across, row = i / across;
        const nc_plot_box box = {MARGIN + column * (w + GAP), 76 + row * (h + GAP), w, h};
        nc_plot_draw_panel(plot, &plot->panels[i], box, out);
    }
    fputs("</svg>\n", out);
}
