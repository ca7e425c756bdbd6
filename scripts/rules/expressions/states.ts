import type { Alphabet } from './alphabet.ts';
import { type Step, type Steps, Unjudged } from './automaton.ts';

/** A place in an expression after a character of it, and where the next character leads. */
export interface State {
  branch: number;
  edges: Edge[];
  /** By branch: before which characters, or the end, the expression is done here. */
  accepts: Map<number, bigint>;
}

export interface Edge {
  to: State;
  mask: bigint;
  /** Whether several ways through the expression lead there without a character between. */
  isDouble: boolean;
}

type Read = Step & { kind: 'read' };

/** Ways without a character, from one state. More of them come only from options within options. */
const mostWays = 20_000;

/**
 * The states of an expression. The first is at the start of the text. Unless the expression is sticky, the engine tries it
 * at each later place too, which is a loop over every character before it.
 */
export function createStates({ start, alphabet, isMultiline, isSticky, asked }: Steps): State[] {
  const { all } = alphabet;
  /** What is known of the character before a state. Assertions ask for no more. */
  const kinds = asked.reduce(
    (found, mask) => found.flatMap((kind) => [kind & mask, kind & ~mask]).filter((kind) => kind !== 0n),
    [all],
  );
  const states: State[] = [];
  const known = new Map<Step | null, State[]>();
  const todo: (() => void)[] = [];
  const make = (branch: number): State => {
    const state: State = { branch, edges: [], accepts: new Map() };
    states.push(state);
    return state;
  };
  /** The states after a step, one for each kind of character. Of `null`: before the expression. */
  const after = (step: Read | null): State[] => {
    const found = known.get(step);
    if (found) return found;
    const made = kinds.map(() => make(step?.branch ?? 0));
    known.set(step, made);
    made.forEach((state, at) => {
      const before = (step?.mask ?? all) & (kinds[at] as bigint);
      if (before !== 0n) todo.push(() => fill(state, step ? step.next : start, before, step === null));
    });
    return made;
  };
  const connect = (state: State, read: Read | null, mask: bigint, isDouble: boolean) =>
    after(read).forEach((to, at) => {
      const shared = mask & (kinds[at] as bigint);
      if (shared !== 0n) state.edges.push({ to, mask: shared, isDouble });
    });
  const fill = (state: State, from: Step, before: bigint, isSearch: boolean) => {
    if (isSearch && !isSticky) connect(state, null, all, false);
    const { reads, accepts } = walk(from, before, alphabet, isMultiline);
    state.accepts = accepts;
    for (const [read, { once, twice }] of reads) {
      if (once & ~twice & read.mask) connect(state, read, once & ~twice & read.mask, false);
      if (twice & read.mask) connect(state, read, twice & read.mask, true);
    }
  };
  const first = make(0);
  fill(first, start, 0n, true);
  for (let job = todo.pop(); job; job = todo.pop()) job();
  return states;
}

/**
 * Every way from a step to the next character.
 *
 * @param before the characters that may stand before, of which assertions tell nothing apart; 0 at the start of the text
 */
function walk(from: Step, before: bigint, { all, end, words, lineEnds }: Alphabet, isMultiline: boolean) {
  const reads = new Map<Read, { once: bigint; twice: bigint }>();
  const accepts = new Map<number, bigint>();
  const isWord = before !== 0n && (before & ~words) === 0n;
  const isLineStart = before === 0n || (isMultiline && (before & ~lineEnds) === 0n);
  let ways = 0;
  const allowed = (step: Step & { kind: 'assert' }): bigint => {
    const { assertion } = step;
    if (assertion.kind === 'word') return isWord === assertion.negate ? words : (all & ~words) | end;
    if (assertion.kind === 'start') return isLineStart ? all | end : 0n;
    return isMultiline ? lineEnds | end : end;
  };
  /** @param entered the loops that were entered since the last character: going round without one is no repetition */
  const go = (step: Step, mask: bigint, entered: ReadonlySet<Step>): void => {
    if (mask === 0n) return;
    if (++ways > mostWays) throw new Unjudged('has too many ways to match nothing');
    switch (step.kind) {
      case 'read': {
        const { once, twice } = reads.get(step) ?? { once: 0n, twice: 0n };
        reads.set(step, { once: once | mask, twice: twice | (once & mask) });
        return;
      }
      case 'accept':
        accepts.set(step.branch, (accepts.get(step.branch) ?? 0n) | mask);
        return;
      case 'either':
        for (const next of step.next) go(next, mask, entered);
        return;
      case 'assert':
        go(step.next, mask & allowed(step), entered);
        return;
      case 'behind': {
        const isThere = before !== 0n && (before & ~step.mask) === 0n;
        if (isThere !== step.negate) go(step.next, mask, entered);
        return;
      }
      case 'loop':
        if (entered.has(step)) return;
        go(step.body as Step, mask, new Set([...entered, step]));
        go(step.next, mask, entered);
    }
  };
  go(from, all | end, new Set());
  return { reads, accepts };
}
