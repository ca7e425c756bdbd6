import { expect, it } from 'vitest';
import { createWorkPortions, portionCharacters } from './work-portions.ts';

/** Turns that the test begins. */
function stage() {
  const later: (() => void)[] = [];
  const turns = createWorkPortions((run) => void later.push(run));
  const done: string[] = [];
  return {
    turns,
    done,
    /** Does the work in steps of a tenth of a portion. */
    work(name: string, portions: number) {
      function* steps(): Generator<number, void, undefined> {
        for (let n = 0; n < 10 * portions; n++) {
          yield portionCharacters / 10;
          done.push(name);
        }
      }
      return turns.finish(steps());
    },
    /** @returns what was done in the next turn; null if nothing waits for one */
    async nextTurn() {
      const runs = later.splice(0);
      if (runs.length === 0) return null;
      done.length = 0;
      for (const run of runs) run();
      for (let n = 0; n < 100; n++) await Promise.resolve();
      return done.length;
    },
  };
}

it('long works together do one portion in each turn of the event loop, and all of them go on', async () => {
  const { turns, work, done, nextTurn } = stage();
  const works = Promise.all(['a', 'b', 'c'].map((name) => work(name, 20)));
  expect(done.length).toBeLessThanOrEqual(12);
  const worked = new Set<string>();
  let inTurns = 0;
  for (let count = await nextTurn(); count !== null; count = await nextTurn()) {
    expect(count).toBeLessThanOrEqual(12);
    for (const name of done) worked.add(name);
    if (++inTurns === 6) expect([...worked].sort()).toEqual(['a', 'b', 'c']);
  }
  await works;
  expect(inTurns).toBeGreaterThanOrEqual(50);
  expect(turns.take(1)).toBe(null);
});

it('a short work that begins during a long one waits for a turn or two, and not for the end of the long one', async () => {
  const { work, done, nextTurn } = stage();
  void work('long', 1_000);
  let isOver = false;
  void work('short', 0.1).then(() => {
    isOver = true;
  });
  await nextTurn();
  await nextTurn();
  expect(isOver).toBe(true);
  expect(done).toContain('long');
});

it('works that wait and are short share a turn', async () => {
  const { work, nextTurn } = stage();
  void work('long', 1_000);
  const short = Array.from({ length: 20 }, (_, n) => work(`${n}`, 0.1));
  for (let n = 0; n < 6; n++) await nextTurn();
  await Promise.all(short);
});

it('an error of a work ends it alone', async () => {
  const { turns } = stage();
  function* fail(): Generator<number, void, undefined> {
    yield 1;
    throw new Error('odd');
  }
  await expect(turns.finish(fail())).rejects.toThrow('odd');
  expect(turns.take(1)).toBe(null);
});
