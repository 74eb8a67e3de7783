/* The two passes of a search that touch every row, for machines where a C compiler was at hand when omoide
 * was installed. They only leave rows out: what they keep is scored by the same Python as without them, so
 * no answer depends on this file. omoide/index/kernel.py says what each argument is, and checks it.
 *
 * Numbers read from a segment may be damaged: a row that does not exist ends a pass with -1. Nothing here
 * writes outside the arrays it is given. Plain C, no intrinsics: the compiler makes vectors of the loops.
 */
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define ALSO_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ALSO_WIDE
#endif

/* First place from `low` on, below `high`, whose value is not less than `value`. */
static int64_t lower_bound(const int32_t *sorted, int64_t low, int64_t high, int64_t value) {
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Cut the posting list of each term, first[t] to last[t], at the row numbers `bounds`. -1: a list lies outside of
 * the `postings` there are. At the ends of all rows nothing is looked up, so that no number there is passed over. */
int omoide_cut(const int32_t *docs, int64_t postings, const int64_t *first, const int64_t *last, int64_t terms,
               const int32_t *bounds, int64_t many, int64_t rows, int64_t *cuts) {
    for (int64_t t = 0; t < terms; t++) {
        if (first[t] < 0 || first[t] > last[t] || last[t] > postings)
            return -1;
        for (int64_t b = 0; b < many; b++) {
            int64_t from = b ? cuts[t * many + b - 1] : first[t];
            cuts[t * many + b] = bounds[b] <= 0 ? first[t] : bounds[b] >= rows ? last[t] : lower_bound(docs, from, last[t], bounds[b]);
        }
    }
    return 0;
}

/* How many postings of each term lie within its cuts, in rows that are kept. */
int omoide_count(const int32_t *docs, const int64_t *cuts, int64_t terms, int64_t many, const uint8_t *keep, int64_t rows,
                 int64_t *counts) {
    for (int64_t t = 0; t < terms; t++) {
        counts[t] = 0;
        for (int64_t b = 0; b < many; b += 2) {
            int64_t low = cuts[t * many + b], high = cuts[t * many + b + 1];
            if (!keep) {
                counts[t] += high - low;
                continue;
            }
            for (int64_t i = low; i < high; i++) {
                if ((uint64_t)(int64_t)docs[i] >= (uint64_t)rows)
                    return -1;
                counts[t] += keep[docs[i]] != 0;
            }
        }
    }
    return 0;
}

enum { GROUP = 16, BUCKETS = 4096 };

/* The greatest sum of each group of rows. */
ALSO_WIDE
static void greatest(const float *sums, int64_t groups, float *out) {
    for (int64_t g = 0; g < groups; g++) {
        float most[GROUP / 2], *group = (float *)sums + g * GROUP;
        for (int i = 0; i < GROUP / 2; i++)
            most[i] = group[i] > group[i + GROUP / 2] ? group[i] : group[i + GROUP / 2];
        for (int i = 0; i < GROUP / 4; i++)
            most[i] = most[i] > most[i + GROUP / 4] ? most[i] : most[i + GROUP / 4];
        most[0] = most[0] > most[2] ? most[0] : most[2];
        most[1] = most[1] > most[3] ? most[1] : most[3];
        out[g] = most[0] > most[1] ? most[0] : most[1];
    }
}

/* At most the k-th best of some numbers, and little below it; 0 where fewer are above 0. */
static float about_kth(const float *values, int64_t n, int64_t k) {
    int64_t counts[BUCKETS] = {0};
    float most = 0;
    for (int64_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    float scale = (BUCKETS - 1) / most;
    if (!(most > 0) || !(scale < 1e30f))
        return 0;
    for (int64_t i = 0; i < n; i++)
        counts[(int)(values[i] * scale)]++;
    for (int bucket = BUCKETS - 1; bucket > 0; bucket--)
        if ((k -= counts[bucket]) <= 0)
            return bucket / scale;
    return 0;
}

/* Rows that can be among the k best by their impacts, in order, into `out`. Gives their number, or -1 for damage.
 * `out` has room for all rows, `sums` for (rows / GROUP + 1) * (GROUP + 1) numbers. */
int64_t omoide_promising(const int32_t *docs, const uint8_t *impact, const int64_t *cuts, int64_t terms, int64_t many,
                         const float *weights, const uint8_t *keep, int64_t rows, int64_t k, float slack, float under,
                         float over, float *sums, int32_t *out) {
    int64_t low = rows, high = 0, found = 0;
    for (int64_t t = 0; t < terms; t++)
        for (int64_t b = 0; b < many; b += 2)
            if (cuts[t * many + b] < cuts[t * many + b + 1]) {
                int64_t first = docs[cuts[t * many + b]], last = docs[cuts[t * many + b + 1] - 1];
                low = first < low ? first : low;
                high = last >= high ? last + 1 : high;
            }
    if (low >= high)
        return 0; /* no posting at all */
    if (low < 0 || high > rows)
        return -1;
    int64_t groups = (high - low + GROUP - 1) / GROUP;
    float *best = sums + groups * GROUP;
    memset(sums, 0, (size_t)groups * GROUP * sizeof *sums);
    for (int64_t t = 0; t < terms; t++) {
        float gives[256];
        for (int i = 0; i < 256; i++)
            gives[i] = (float)i * weights[t];
        for (int64_t b = 0; b < many; b += 2)
            for (int64_t i = cuts[t * many + b]; i < cuts[t * many + b + 1]; i++) {
                uint64_t place = (uint64_t)(docs[i] - low);
                if (place >= (uint64_t)(high - low))
                    return -1;
                sums[place] += gives[impact[i]];
            }
    }
    if (keep)
        for (int64_t r = low; r < high; r++)
            if (!keep[r])
                sums[r - low] = 0;
    greatest(sums, groups, best);
    /* the k-th best of the groups' best rows is no better than the k-th best row */
    float least = (about_kth(best, groups, k) - slack) * under / over;
    for (int64_t g = 0; g < groups; g++)
        if (best[g] > 0 && best[g] >= least)
            for (int64_t r = g * GROUP; r < (g + 1) * GROUP; r++)
                if (sums[r] > 0 && sums[r] >= least)
                    out[found++] = (int32_t)(low + r);
    return found;
}

/* How often each term stands in each of some rows, which are in order: (chosen x terms) into `out`. */
void omoide_frequencies(const int32_t *docs, const float *freq, const int64_t *cuts, int64_t terms, int64_t many,
                        const int32_t *chosen, int64_t n, double *out) {
    for (int64_t t = 0; t < terms; t++) {
        int64_t b = 0, at = many ? cuts[t * many] : 0;
        for (int64_t i = 0; i < n; i++) {
            out[i * terms + t] = 0;
            for (; b < many; b += 2) {
                int64_t last = cuts[t * many + b + 1];
                at = lower_bound(docs, at > cuts[t * many + b] ? at : cuts[t * many + b], last, chosen[i]);
                if (at < last)
                    break;
            }
            if (b < many && docs[at] == chosen[i])
                out[i * terms + t] = freq[at];
        }
    }
}

enum { BLOCK = 512 };

/* Differing sign bits of the rows first to last (at most BLOCK), words of 64 dimensions lying together. Bits are
 * counted within the words: in fours of bits for three words at a time, in bytes, in pairs of bytes. */
ALSO_WIDE
static void differing(const uint64_t *planes, int64_t rows, int64_t words, const uint64_t *bits, int64_t first, int64_t last,
                      uint16_t *out) {
    const uint64_t twos = 0x5555555555555555u, fours = 0x3333333333333333u, bytes = 0x0f0f0f0f0f0f0f0fu,
                   pairs = 0x00ff00ff00ff00ffu;
    uint64_t nibbles[BLOCK], sums[BLOCK] = {0};
    int64_t n = last - first;
    for (int64_t w = 0; w < words; w++) {
        const uint64_t *plane = planes + w * rows + first;
        uint64_t bit = bits[w], kept = w % 3 ? ~(uint64_t)0 : 0;
        for (int64_t i = 0; i < n; i++) {
            uint64_t x = plane[i] ^ bit;
            x -= (x >> 1) & twos;
            nibbles[i] = (nibbles[i] & kept) + (x & fours) + ((x >> 2) & fours);
        }
        if (w % 3 == 2 || w + 1 == words)
            for (int64_t i = 0; i < n; i++) {
                uint64_t x = (nibbles[i] & bytes) + ((nibbles[i] >> 4) & bytes);
                sums[i] += (x & pairs) + ((x >> 8) & pairs);
            }
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = sums[i] + (sums[i] >> 32);
        out[i] = (uint16_t)(x + (x >> 16));
    }
}

/* Rows with the fewest differing sign bits, with all ties: at least `wanted`, or all. `distance` has room for
 * every row of the slices, `counts` for 4 * (64 * words + 1). Gives how many rows stand in `out`. */
int64_t omoide_near(const uint64_t *planes, int64_t rows, int64_t words, const uint64_t *bits, const int64_t *slices,
                    int64_t many, const uint8_t *keep, int64_t wanted, uint16_t *distance, int64_t *counts, int32_t *out) {
    uint16_t *here = distance;
    int64_t size = 64 * words + 1;
    memset(counts, 0, (size_t)(4 * size) * sizeof *counts);
    for (int64_t s = 0; s < many; s += 2)
        for (int64_t first = slices[s], last; first < slices[s + 1]; here += last - first, first = last) {
            last = first + BLOCK < slices[s + 1] ? first + BLOCK : slices[s + 1];
            differing(planes, rows, words, bits, first, last, here);
            for (int64_t i = 0; i < last - first; i++) /* four tables: neighbours do not wait for each other */
                if (!keep || keep[first + i])
                    counts[(i & 3) * size + here[i]]++;
        }
    int64_t most = -1, found = 0;
    for (int64_t sum = 0; sum < wanted && most + 1 < size;) {
        most++;
        sum += counts[most] + counts[size + most] + counts[2 * size + most] + counts[3 * size + most];
    }
    here = distance;
    for (int64_t s = 0; s < many; s += 2)
        for (int64_t r = slices[s]; r < slices[s + 1]; r++, here++)
            if (*here <= most && (!keep || keep[r]))
                out[found++] = (int32_t)r;
    return found;
}

enum { LANES = 16, AHEAD = 4 };

/* Rough cosines of some of the rows in half precision with a vector; -1 where one of them does not exist. The
 * halves become floats by moving bits, as in omoide/index/segment.py; the factor of 2 to the 112 that this
 * leaves out is in `vector` already, so that small numbers stay normal ones. */
ALSO_WIDE
int omoide_cosines(const int16_t *half, int64_t rows, int64_t dimensions, const int32_t *chosen, int64_t n,
                   const float *vector, float *out) {
    for (int64_t i = 0; i < n; i++)
        if (chosen[i] < 0 || chosen[i] >= rows)
            return -1;
    for (int64_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            for (int64_t line = 0; line < dimensions; line += 32)
                __builtin_prefetch(half + chosen[i + AHEAD] * dimensions + line);
        const int16_t *row = half + chosen[i] * dimensions;
        float sums[LANES] = {0}, sum = 0;
        int64_t d = 0;
        for (; d + LANES <= dimensions; d += LANES)
            for (int j = 0; j < LANES; j++) {
                union { uint32_t bits; float value; } number = {((uint32_t)(int32_t)row[d + j] << 13) & ~0x70001FFFu};
                sums[j] += number.value * vector[d + j];
            }
        for (; d < dimensions; d++) {
            union { uint32_t bits; float value; } number = {((uint32_t)(int32_t)row[d] << 13) & ~0x70001FFFu};
            sum += number.value * vector[d];
        }
        for (int j = 0; j < LANES; j++)
            sum += sums[j];
        out[i] = sum;
    }
    return 0;
}
