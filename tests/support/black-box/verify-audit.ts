import { expect } from 'vitest';
import { runCli } from '../processes/run-cli.ts';
import { eventually } from './eventually.ts';
import type { Environment } from './server-process.ts';

/**
 * Runs `latchkey audit verify` to its end.
 *
 * @param database the variables that name it
 * @returns the anchors that it prints, one in each line
 * @throws Error with what it found
 */
export function verifyAudit(database: Environment, expectedFile?: string): Promise<string> {
  const expected = expectedFile === undefined ? [] : ['--expect-file', expectedFile];
  return runCli(['audit', 'verify', ...expected], database);
}

/** The place that anchors name as the last one of the chain `acts`. */
export function lastAct(anchors: string): number {
  return Number(/^acts:(\d+):/m.exec(anchors)?.[1]);
}

/**
 * Waits until so many acts are chained. It takes about a second.
 *
 * @returns the anchors
 */
export function onceChained(database: Environment, acts: number): Promise<string> {
  return eventually(async () => {
    const anchors = await verifyAudit(database);
    expect(lastAct(anchors)).toBeGreaterThanOrEqual(acts);
    return anchors;
  });
}
