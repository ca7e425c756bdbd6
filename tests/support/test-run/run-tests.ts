import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool, provideTool, type Tool, tools } from '../provide-tool.ts';
import { repositoryFolder } from '../repository.ts';
import { listSourceFiles } from '../source-files.ts';
import { type StoreName, startBriefPostgres } from '../stores/own-stores.ts';
import { provideStores, type StoreMachine, thisMachine } from '../stores/provide-stores.ts';
import type { Counts } from './count-reporter.ts';
import { findNeededStores } from './needed-stores.ts';
import type { Selection } from './programs.ts';
import { runVitest } from './run-vitest.ts';

/** A filter such as `-t` skips nearly every test: nobody needs a list of all those names. */
const namedSkips = 50;
/** This machine, whose Postgres is not kept. */
const machine: StoreMachine = {
  ...thisMachine,
  startProgram: (name) => (name === 'Postgres' ? startBriefPostgres() : thisMachine.startProgram(name)),
};
/** The tests that render the Kubernetes manifests. */
const rendering = ['manifests', 'network', 'pod-security', 'secrets', 'settings', 'lifecycle'].map(
  (name) => `k8s/src/${name}.test.ts`,
);

/**
 * Runs the tests with the stores that they need, shows them as vitest does, and ends with the line `N passed, N failed`,
 * plus `, N skipped` where some were; those are named before it. Each test runs once: one that would pass the second time
 * has found a race.
 *
 * @param selection of `selectTests`
 * @returns the exit code: 0 if at least one test passed, none failed and vitest itself succeeded
 */
export async function runTests({ args, tools: wanted }: Selection, env: NodeJS.ProcessEnv): Promise<number> {
  const needed = storesNeeded(args);
  const services = await provideStores([...needed.keys()], machine);
  try {
    const toolPaths = toolVariables(wanted);
    // A kubectl that is new enough cannot be installed here, and these tests cannot run without it.
    const left = toolPaths.KUBECTL_PATH ? [] : rendering;
    const exclude = left.flatMap((test) => ['--exclude', test]);
    const testEnv = { ...env, ...toolPaths, ...services.variables };
    const { counts, code } = await runVitest(repositoryFolder, [...exclude, ...args], testEnv);
    // Other tests that lack their service are skipped one by one. These still run, on one of two databases.
    if (services.missing.includes('Postgres'))
      counts.skipped.push(...(needed.get('Postgres') ?? []).map((test) => `${test} > on Postgres`));
    counts.skipped.push(...left.map((test) => `${test} > needs kubectl 1.27 or newer`));
    const { lines, ok } = conclude(counts, code);
    process.stdout.write(`${lines.join('\n')}\n`);
    return ok ? 0 : code || 1;
  } finally {
    await services.stop();
  }
}

/** The closing lines of a run, the last of them the counts, and whether it was a success. */
export function conclude(
  { passed, failed, skipped }: Counts,
  code: number,
): { lines: string[]; ok: boolean } {
  const lines = skipped.slice(0, namedSkips).map((name) => `skipped: ${name}`);
  if (skipped.length > namedSkips) lines.push(`skipped: ${skipped.length - namedSkips} more`);
  // vitest failed although no test did: it could not start, was interrupted, or found no tests.
  const failures = failed === 0 && code !== 0 ? 1 : failed;
  if (failures > failed) lines.push(`vitest ended with ${code}, which counts as one failure`);
  const ok = failures === 0 && passed > 0;
  if (failures === 0 && passed === 0) lines.push('no test ran');
  lines.push(
    `${passed} passed, ${failures} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
  );
  return { lines, ok };
}

function storesNeeded(args: readonly string[]): Map<StoreName, string[]> {
  const filters = args.filter((arg) => !arg.startsWith('-'));
  return findNeededStores(filters, listSourceFiles(repositoryFolder), (file) =>
    readFileSync(join(repositoryFolder, file), 'utf8'),
  );
}

/** The paths of the programs that tests run. Without the word `programs` only ffmpeg and Chromium are installed. */
function toolVariables(wanted: readonly Tool[]): Record<string, string | undefined> {
  const provided: readonly Tool[] = ['ffmpeg', 'chromium', ...wanted];
  const paths = (Object.keys(tools) as Tool[]).map((tool) => [
    tools[tool].variable,
    provided.includes(tool) ? provideTool(tool) : findTool(tool),
  ]);
  return Object.fromEntries(paths.filter(([, path]) => path));
}
