// The exact line search of the Newton methods of this folder. Not for other folders.
#ifndef NC_CONTACT_NEWTON_LINE_H
#define NC_CONTACT_NEWTON_LINE_H

// What 1/2 |y - y0|^2 adds along a direction: its slope at the start, and how fast that grows.
typedef struct nc_line_terms {
    double first, second;
} nc_line_terms;

// The slope of a convex objective a part `t` of the way along a direction, and its own slope (`*curve`, above 0).
typedef double nc_line_slope(const void *of, nc_line_terms line, double t, double *curve);

// [1] where along the direction the objective is least, by Newton's method within a bracket; 0 where it does not fall.
double nc_convex_search_line(nc_line_slope *slope_at, const void *of, nc_line_terms line);

#endif
