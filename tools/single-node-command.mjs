/**
 * Flags of Node for the single node.
 *
 * - With `gc`, the server returns the memory of its start before it listens: a third of what it has by then.
 * - New objects get 12 MiB. On a machine with 24 GiB V8 would let them take 192 MiB, and each further viewer then takes 20 KiB instead
 *   of 12 to 13 (docs/operate/scale.md, "What a viewer takes").
 */
export const singleNodeFlags = ['--expose-gc', '--max-semi-space-size=4'];

/**
 * For glibc, which would give each of V8's threads memory of its own and keep what a start has freed there: 5 MiB. The system allocates
 * for all of them in one place then. The program's own objects come from V8.
 */
export const singleNodeEnvironment = { MALLOC_ARENA_MAX: '1' };

export const singleNodeCommand = [...singleNodeFlags, 'gateway/src/single-node.ts'];
