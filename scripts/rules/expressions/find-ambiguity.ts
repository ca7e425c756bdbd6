import { readSteps } from './automaton.ts';
import { createStates, type Edge, type State } from './states.ts';

/** A text that an expression takes more than proportional time for: `before`, then `pump` many times, then `after`. */
interface SlowText {
  cost: 'exponential' | 'polynomial';
  before: string;
  pump: string;
  after: string;
}

/** Sets of states. A search for a text that does not match gives up beyond, and the expression counts as slow. */
const mostSets = 3000;

/**
 * Finds a text that makes a backtracking engine slow: two ways to read the same repeated text, which it tries one after the
 * other once the rest does not match. Two loops that share a text cost its length squared, and the search for a place where
 * the expression begins is such a loop. Two ways round one loop cost more than any power. (Weber and Seidl, On the degree of
 * ambiguity of finite automata, 1991, theorem 3.)
 *
 * @throws Unjudged where the expression cannot be judged
 */
export function findSlowText(source: string, flags: string): SlowText | null {
  const steps = readSteps(source, flags);
  const states = createStates(steps);
  const { characters, all, end } = steps.alphabet;
  const read = (masks: bigint[]) =>
    masks.map((mask) => characters.find((_, at) => mask & (1n << BigInt(at)))).join('');
  const loops = findLoops(states);
  const report = (
    cost: SlowText['cost'],
    from: State,
    pump: bigint[],
    failing: bigint[] | null,
  ): SlowText => ({
    cost,
    before: read(pathBetween([states[0] as State], [from]) ?? []),
    pump: read(pump),
    after: read((failing ?? []).filter((mask) => mask !== end)),
  });
  const searched = new Map<string, bigint[] | null | undefined>();
  const failing = (state: State, isAside: boolean) => {
    if (isAside) return [];
    const key = String(states.indexOf(state));
    if (!searched.has(key)) searched.set(key, findFailing(state, all, end));
    return searched.get(key) ?? null;
  };
  let polynomial: SlowText | null = null;
  for (const [p, loop] of loops) {
    const twice = roundTwice(p, loop);
    if (twice && failing(p, false)) return report('exponential', p, twice, failing(p, false));
    if (polynomial) continue;
    for (const [q, other] of loops) {
      if (loop === other) continue;
      const suffix = failing(q, q.branch !== p.branch);
      if (!suffix) continue;
      const pump = moveOver(p, q, loop, other);
      if (!pump) continue;
      polynomial = report('polynomial', p, pump, suffix);
      break;
    }
  }
  return polynomial;
}

/** The states that text can lead back to, each with all of its loop (a strongly connected component). */
function findLoops(states: State[]): Map<State, Set<State>> {
  const reach = new Map(states.map((state) => [state, reachable(state)]));
  const loops = new Map<State, Set<State>>();
  for (const state of states) {
    if (loops.has(state) || !reach.get(state)?.has(state)) continue;
    const loop = new Set([...(reach.get(state) as Set<State>)].filter((each) => reach.get(each)?.has(state)));
    for (const each of loop) loops.set(each, loop);
  }
  return loops;
}

function reachable(from: State): Set<State> {
  const found = new Set<State>();
  const todo = [from];
  for (let state = todo.pop(); state; state = todo.pop())
    for (const { to } of state.edges)
      if (!found.has(to)) {
        found.add(to);
        todo.push(to);
      }
  return found;
}

/**
 * The shortest text that leads several readers at once from their places to others, all by the same characters.
 *
 * @param allows whether a reader may take an edge
 * @param diverging whether two readers have to have differed on the way
 */
function pathBetween(
  from: State[],
  to: State[],
  allows: (edge: Edge, reader: number) => boolean = () => true,
  diverging = false,
): bigint[] | null {
  interface Place {
    states: State[];
    differed: boolean;
    mask: bigint;
    before: Place | null;
  }
  const ids = new Map<State, number>();
  const idOf = (state: State) => ids.get(state) ?? ids.set(state, ids.size).size - 1;
  const keyOf = (states: State[], differed: boolean) => `${states.map(idOf)}${differed}`;
  const isGoal = (states: State[], differed: boolean) =>
    (differed || !diverging) && states.every((state, at) => state === to[at]);
  const seen = new Set<string>();
  let places: Place[] = [{ states: from, differed: false, mask: 0n, before: null }];
  if (!diverging && isGoal(from, false)) return [];
  while (places.length > 0) {
    const next: Place[] = [];
    for (const place of places) {
      const extend = (reader: number, states: State[], mask: bigint, isDouble: boolean): Place | null => {
        if (reader === place.states.length) {
          const differed = place.differed || isDouble || states.some((state) => state !== states[0]);
          const key = keyOf(states, diverging && differed);
          if (seen.has(key)) return null;
          seen.add(key);
          const made = { states, differed, mask, before: place };
          if (isGoal(states, differed)) return made;
          next.push(made);
          return null;
        }
        for (const edge of (place.states[reader] as State).edges) {
          const shared = mask & edge.mask;
          if (shared === 0n || !allows(edge, reader)) continue;
          const goal = extend(reader + 1, [...states, edge.to], shared, isDouble || edge.isDouble);
          if (goal) return goal;
        }
        return null;
      };
      let goal = extend(0, [], -1n, false);
      if (!goal) continue;
      const masks: bigint[] = [];
      for (; goal?.before; goal = goal.before) masks.unshift(goal.mask);
      return masks;
    }
    places = next;
  }
  return null;
}

/** A text that leads from a state back to it in two ways. */
function roundTwice(p: State, loop: Set<State>): bigint[] | null {
  return pathBetween([p, p], [p, p], ({ to }) => loop.has(to), true);
}

/** A text that leads from `p` to itself and to `q`, and from `q` to itself. */
function moveOver(p: State, q: State, loop: Set<State>, other: Set<State>): bigint[] | null {
  return pathBetween([p, p, q], [p, q, q], ({ to }, reader) => {
    if (reader === 0) return loop.has(to);
    return reader === 2 ? other.has(to) : true;
  });
}

/**
 * A text after which no way from a state matches; null if there is none. Without one, the engine stops at its first way.
 */
function findFailing(from: State, all: bigint, end: bigint): bigint[] | null {
  let places: { states: Set<State>; masks: bigint[] }[] = [{ states: new Set([from]), masks: [] }];
  const ids = new Map<State, number>();
  const seen = new Set<string>();
  while (places.length > 0) {
    const next: typeof places = [];
    for (const { states, masks } of places) {
      let accepted = 0n;
      for (const { accepts } of states) accepted |= accepts.get(from.branch) ?? 0n;
      if ((accepted & end) === 0n) return [...masks, end];
      for (let bit = 1n; bit <= all; bit <<= 1n) {
        if (accepted & bit) continue;
        const reached = new Set<State>();
        for (const { edges } of states) for (const { to, mask } of edges) if (mask & bit) reached.add(to);
        if (reached.size === 0) return [...masks, bit];
        const key = [...reached]
          .map((state) => ids.get(state) ?? ids.set(state, ids.size).size - 1)
          .sort()
          .join();
        if (seen.has(key)) continue;
        seen.add(key);
        next.push({ states: reached, masks: [...masks, bit] });
      }
      if (seen.size > mostSets) return [...masks];
    }
    places = next;
  }
  return null;
}
