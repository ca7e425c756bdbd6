import { afterAll, beforeEach, expect } from 'vitest';

// Files of tests share a process. What one leaves behind would fail another, and never the same one: so it fails here, by name.

const { setTimeout, setInterval, fetch } = globalThis;
const own: Readonly<Record<string, unknown>> = { setTimeout, setInterval, fetch, Date: globalThis.Date };

function checkTraces(): void {
  const current = globalThis as Record<string, unknown>;
  const changed = Object.keys(own).filter((name) => current[name] !== own[name]);
  // Not kept: it would fail every file after this one.
  for (const name of changed) current[name] = own[name];
  expect(changed, 'the test before put back what it replaced').toEqual([]);
  expect(process.exitCode, 'the test before left the exit code alone').toBeUndefined();
}

// Hooks of a test, such as `onTestFinished`, run after `afterEach`.
beforeEach(checkTraces);
afterAll(checkTraces);
