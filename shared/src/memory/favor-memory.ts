/**
 * For `node --import`: V8 then moves objects together once a fifth of its pages is free. Usually it waits until most of a
 * page is. Its heap also grows in smaller steps. Entries of the caches come and go for years, so half-empty pages
 * made a third of the heap.
 *
 * It is set at run time because the same flag on the command line makes V8's young generation as small as it can be. See
 * docs/operate/operations.md, "Memory", for what it costs.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--optimize-for-size');
