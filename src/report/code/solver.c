
enum { SIZE = N + K };

/* Solves a linear system by Gaussian elimination, pivots chosen by their size in their row; the right side is the last
   column. 0 where it is singular. */
static int solve(double table[SIZE][SIZE + 1], double solution[SIZE])
{
    double sizes[SIZE];
    for (int i = 0; i < SIZE; i++) {
        sizes[i] = 0.0;
        for (int j = 0; j < SIZE; j++)
            sizes[i] = fmax(sizes[i], fabs(table[i][j]));
        if (!(sizes[i] > 0.0 && sizes[i] < INFINITY))
            return 0;
    }
    for (int k = 0; k < SIZE; k++) {
        int best = k;
        for (int i = k + 1; i < SIZE; i++)
            if (fabs(table[i][k])/sizes[i] > fabs(table[best][k])/sizes[best])
                best = i;
        if (!(fabs(table[best][k]) > 1e-15*sizes[best]))
            return 0;
        for (int j = 0; j <= SIZE; j++) {
            const double kept = table[k][j];
            table[k][j] = table[best][j];
            table[best][j] = kept;
        }
        sizes[best] = sizes[k];
        for (int i = k + 1; i < SIZE; i++) {
            const double factor = table[i][k]/table[k][k];
            if (factor != 0.0)
                for (int j = k; j <= SIZE; j++)
                    table[i][j] -= factor*table[k][j];
        }
    }
    for (int k = SIZE - 1; k >= 0; k--) {
        double value = table[k][SIZE];
        for (int j = k + 1; j < SIZE; j++)
            value -= table[k][j]*solution[j];
        solution[k] = value/table[k][k];
        if (!(fabs(solution[k]) < INFINITY))
            return 0;
    }
    return 1;
}

/* x'' and lambda at an instant. 0 where they have no value. */
int accelerations(double t, const double x[], const double v[], double a[], double lambda[])
{
    double J[M + 1][N], mass_matrix[N][N], h[N], second[M + 1];
    double table[SIZE][SIZE + 1] = {{0.0}}, solution[SIZE], units[SIZE];
    jacobian(t, x, J);
    mass(t, x, v, mass_matrix);
    bias(t, x, v, h);
    gamma_(t, x, v, second);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            table[i][j] = mass_matrix[i][j];
        table[i][SIZE] = -h[i];
    }
    for (int b = 0; b < M; b++)
        lambda[b] = 0.0;
    for (int k = 0; k < K; k++) {
        for (int j = 0; j < N; j++)
            table[j][N + k] = table[N + k][j] = J[INDEPENDENT[k]][j];
        table[N + k][SIZE] = second[INDEPENDENT[k]];
    }
    /* units in which each coordinate has mass 1 and each gradient length 1 */
    for (int i = 0; i < SIZE; i++) {
        double size = i < N ? sqrt(fabs(table[i][i])) : 0.0;
        for (int j = 0; i >= N && j < N; j++)
            size = fmax(size, fabs(table[i][j])*units[j]);
        units[i] = size > 0.0 ? 1.0/size : 1.0;
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            table[i][j] *= units[i]*units[j];
        table[i][SIZE] *= units[i];
    }
    if (!solve(table, solution))
        return 0;
    for (int i = 0; i < N; i++)
        a[i] = units[i]*solution[i];
    for (int k = 0; k < K; k++)
        lambda[INDEPENDENT[k]] = 0.0 - units[N + k]*solution[N + k];
    return 1;
}

/* The rates of z = (x, v). 0 where they have no value. */
static int rates_of(double t, const double z[], double rates[])
{
    double lambda[M + 1];
    for (int i = 0; i < N; i++)
        rates[i] = z[N + i];
    return accelerations(t, z, z + N, rates + N, lambda);
}

enum { COLUMNS = 6 };
static const double RTOL = 1e-12, ATOL = 1e-14;

/* z after a step of length h, by the midpoint rule extrapolated to order 2 COLUMNS (Gragg, Bulirsch, Stoer), and its
   error in parts of the tolerance. */
static double step(double t, const double z[], double h, double end[])
{
    double table[COLUMNS][2*N], first[2*N], rates[2*N], error = 0.0;
    if (!rates_of(t, z, first))
        return INFINITY;
    for (int k = 0; k < COLUMNS; k++) {
        const int parts = 2*(k + 1);
        const double part = h/parts;
        double before[2*N];
        for (int i = 0; i < 2*N; i++) {
            before[i] = z[i];
            table[k][i] = z[i] + part*first[i];
        }
        for (int s = 1; s < parts; s++) {
            if (!rates_of(t + s*part, table[k], rates))
                return INFINITY;
            for (int i = 0; i < 2*N; i++) {
                const double after = before[i] + 2.0*part*rates[i];
                before[i] = table[k][i];
                table[k][i] = after;
            }
        }
        /* Gragg's smoothing: a force that begins behind the last part is seen */
        if (!rates_of(t + h, table[k], rates))
            return INFINITY;
        for (int i = 0; i < 2*N; i++)
            table[k][i] = 0.5*(before[i] + table[k][i] + part*rates[i]);
        for (int j = k - 1; j >= 0; j--) {
            const double ratio = (k + 1.0)/(j + 1.0);
            for (int i = 0; i < 2*N; i++)
                table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i])/(ratio*ratio - 1.0);
        }
    }
    for (int i = 0; i < 2*N; i++) {
        end[i] = table[0][i];
        /* two orders may agree by chance, where a force has a kink; three do not */
        const double off = fmax(fabs(table[0][i] - table[1][i]), 0.01*fabs(table[1][i] - table[2][i]));
        error = fmax(error, off/(ATOL + RTOL*fabs(end[i])));
    }
    return error;
}

/* Would a one-sided constraint have to pull? Says so. */
static int pulls(double t, const double z[])
{
    double J[M + 1][N], h[N], a[N], lambda[M + 1], most = 0.0;
    if (!ANY_ONE_SIDED || !accelerations(t, z, z + N, a, lambda))
        return 0;
    jacobian(t, z, J);
    bias(t, z, z + N, h);
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(h[i]));
    for (int b = 0; b < POSITIONAL; b++) {
        double steepest = 0.0, scale = 0.0;
        for (int k = 0; k < N; k++)
            steepest = fmax(steepest, fabs(J[b][k]));
        for (int c = 0; c < M; c++)
            scale = fmax(scale, fabs(lambda[c]));
        if (ONE_SIDED[b] && lambda[b] < -1e-9*fmax(scale, steepest > 0.0 ? most/steepest : 0.0)) {
            fprintf(stderr, "the motion ends at t = %.15g: lambda_%s = %.3g: %s is one-sided and would have to pull; this "
                    "program does not continue without it\n", t, CONSTRAINTS[b], lambda[b], CONSTRAINTS[b]);
            return 1;
        }
    }
    return 0;
}

/* Is the motion to end here: are the constraints left, in parts of grad f . x, of the largest x so far with what it
   changes by in a row, or would a one-sided one have to pull? Says so. */
static int ends_here(double t, const double z[])
{
    static double reach[N], sizes[M + 1], before[M + 1];
    static double first = 0.0, most_moved = 0.0;
    static int begun = 0;
    double J[M + 1][N], off[M + 1] = {0.0}, h[N], least = 0.0;
    jacobian(t, z, J);
    constraints(t, z, off);
    for (int k = 0; k < N; k++) {
        reach[k] = fmax(reach[k], fabs(z[k]) + fabs((UNTIL - START)/ROWS*z[N + k]));
        least = fmax(least, 1e-6*reach[k]);
    }
    for (int b = 0; b < POSITIONAL; b++) {
        double size = 0.0;
        for (int k = 0; k < N; k++)
            size += fabs(J[b][k])*fmax(reach[k], least);
        sizes[b] = fmax(sizes[b], size);
        const double jump = begun ? off[b] - before[b] : 0.0;
        if (!(fabs(off[b]) <= 1e-6*sizes[b] && fabs(jump) <= 1e-9*sizes[b])) {
            fprintf(stderr, "the motion ends at t = %.15g: %s is violated by %.1e, by %.1e in one step: the equations are nearly "
                    "singular there\n", t, CONSTRAINTS[b], off[b], jump);
            return 1;
        }
        before[b] = off[b];
    }
    if (CONSERVES) {
        double M_[N][N], moved = 0.0;
        mass(t, z, z + N, M_);
        bias(t, z, z + N, h);
        for (int i = 0; i < N; i++) {
            moved += fabs(h[i])*fmax(reach[i], least);
            for (int j = 0; j < N; j++)
                moved += fabs(z[N + i]*M_[i][j]*z[N + j]);
        }
        most_moved = fmax(most_moved, moved);
        if (!begun)
            first = energy(t, z, z + N);
        if (!(fabs(energy(t, z, z + N) - first) <= 1e-6*most_moved)) {
            fprintf(stderr, "the motion ends at t = %.15g: the energy, a constant, has changed by %.1e: the equations are nearly "
                    "singular there\n", t, energy(t, z, z + N) - first);
            return 1;
        }
    }
    begun = 1;
    return pulls(t, z);
}

/* Would one have to pull within a step? Looked for at LOOKS places, each by a step of its own. */
enum { LOOKS = 8 };
static int pulls_within(double t, const double z[], double length)
{
    double inside[2*N];
    for (int i = 1; ANY_ONE_SIDED && i <= LOOKS; i++) {
        const double part = length*i/(LOOKS + 1);
        if (step(t, z, part, inside) <= 1.0 && pulls(t + part, inside))
            return 1;
    }
    return 0;
}

/* Takes z from a time to another in steps of about *h. 0 where it comes to no end, -1 where that is told. */
static int advance(double t, double until, double z[], double *h)
{
    const double shortest = 1e-14*(fabs(t) + fabs(until));
    double end[2*N];
    while (t != until) {
        const int last = fabs(*h) >= fabs(until - t);
        const double next = last ? until : t + *h, length = next - t;
        const double error = step(t, z, length, end);
        double factor = 0.9*pow(error + 1e-30, -1.0/(2*COLUMNS - 1));
        if (!(factor > 0.1))
            factor = 0.1;
        if (factor > 4.0)
            factor = 4.0;
        if (error <= 1.0) {
            if (pulls_within(t, z, length))
                return -1;
            for (int i = 0; i < 2*N; i++)
                z[i] = end[i];
            t = next;
            if (ends_here(t, z))
                return -1;
        }
        if (!last || factor < 1.0)
            *h = length*factor;
        if (fabs(*h) <= shortest)
            return 0;
    }
    return 1;
}

/* The same by way of BREAKS. */
static int travel(double t, double until, double z[], double *h)
{
    const double way = until < t ? -1.0 : 1.0;
    for (int i = 0; i < BREAK_COUNT; i++) {
        const double next = BREAKS[i];
        if (way*(next - t) > 0.0 && way*(until - next) > 0.0) {
            /* a jump lies between two of them that are next to each other */
            const int jumps = i > 0 && t == BREAKS[i - 1] && fabs(next - t) <= 1e-13*(fabs(t) + fabs(UNTIL));
            const int came = jumps ? 1 : advance(t, next, z, h);
            if (came <= 0)
                return came;
            t = next;
        }
    }
    return advance(t, until, z, h);
}

/* Prints time, coordinates, multipliers, energy and velocities as CSV. */
int main(void)
{
    double z[2*N], a[N], lambda[M + 1];
    double h = (UNTIL - START)/(16*ROWS), t = START;
    if (!STARTS) {
        fputs("no start satisfies the constraints: set START, START_X and START_V\n", stderr);
        return 1;
    }
    printf("t");
    for (int i = 0; i < N; i++) {
        printf(",%s", COORDINATES[i]);
        z[i] = START_X[i];
        z[N + i] = START_V[i];
    }
    for (int b = 0; b < M; b++)
        printf(",lambda_%s", CONSTRAINTS[b]);
    printf(",energy");
    for (int i = 0; i < N; i++)
        printf(",%s'", COORDINATES[i]);
    printf("\n");
    if (ends_here(t, z))
        return 1;
    for (int row = 0; row <= ROWS; row++) {
        const double next = START + row*(UNTIL - START)/ROWS;
        const int came = travel(t, next, z, &h);
        if (came < 0)
            return 1;
        if (!came || !accelerations(next, z, z + N, a, lambda)) {
            fprintf(stderr, "the motion ends after t = %.15g: the equations have no solution there\n", t);
            return 1;
        }
        t = next;
        printf("%.15g", t);
        for (int i = 0; i < N; i++)
            printf(",%.15g", z[i]);
        for (int b = 0; b < M; b++)
            printf(",%.15g", lambda[b]);
        printf(",%.15g", energy(t, z, z + N));
        for (int i = 0; i < N; i++)
            printf(",%.15g", z[N + i]);
        printf("\n");
    }
    return 0;
}
