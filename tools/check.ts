// `npm run check`: all automatic checks of the code. Each step runs, even if another one fails.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  descriptionsOf,
  type Settings,
  separateServiceSettings,
  singleNodeSettings,
} from '@latchkey/shared/config';
import { digestMeasuredCode, findOldFigures } from '@latchkey/support/measured/measured-code';
import { readFlags } from '@latchkey/support/read-flags';
import { listSourceFiles } from '@latchkey/support/source-files';
import { selectTests } from '@latchkey/support/test-run/programs';
import { runTests } from '@latchkey/support/test-run/run-tests';
import { describeWords } from './commands.mjs';
import { renderTypes, typesPath } from './dashboard-types.ts';
import { documentPath, renderDocument } from './metrics-document.ts';
import { readOpenApi } from './open-api.ts';
import { findBlockedPorts } from './rules/blocked-ports.ts';
import { findUnlistedPages } from './rules/document-index.ts';
import { findDeadReferences } from './rules/document-references.ts';
import { findUnknownOptions } from './rules/documented-options.ts';
import { findUnshownFailures } from './rules/failure-modes.ts';
import { findDeadHeadings } from './rules/heading-links.ts';
import { findUnmeasuredPlaces } from './rules/measured-places.ts';
import { findDialect } from './rules/plain-words.ts';
import { findClaimable } from './rules/proxies-in-production.ts';
import { findRunbookFaults } from './rules/runbooks.ts';
import { findSlowExpressions } from './rules/slow-expressions.ts';
import { compareThresholds } from './rules/thresholds.ts';
import * as variables from './rules/variables.ts';
import { buildSite, readPages } from './site/build-site.ts';
import { findForbiddenLicences, makeBill } from './supply-chain/bill.ts';
import { findPublishable, findUndocumentedPackages } from './supply-chain/packages.ts';

const usage = `npm run check: all automatic checks of the code, and the tests

Types, lint and format, import directions and cycles, the size of files and functions, unused code, regular expressions that some text
makes slow, links, commands, ports and variables of documents and manifests, alerts with their runbooks, and the licences of what is shipped. It
also says which figures of documents are older than the code that they measure.

  npm run check                  all of it
  npm run check -- --no-tests    all but the tests

With a word of these, it does something else:

${describeWords('check', 'npm run check')}
`;
const { values: flags } = readFlags(usage, { options: { 'no-tests': { type: 'boolean' } } });

const root = join(import.meta.dirname, '..');
const files = listSourceFiles(root);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** Whether a file is shipped or copied. Tests, scripts, and the programs that measure read text of the repository itself. */
const readsTextFromOutside = (file: string) =>
  /^(?:admin|cli|examples|gateway|sdk|services|shared)\//.test(file) && !/\.(?:test|fixture)\./.test(file);
const code = /\.(m?[jt]s|tsx)$/;

/** The output of a program of the workspace that fails; empty if it ends with 0. */
function complaintsOf(program: string, ...args: string[]): Promise<string[]> {
  const path = join(root, 'node_modules', '.bin', program);
  return new Promise((resolve) => {
    execFile(path, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve(error ? [`${stdout}${stderr}`.trim() || error.message] : []);
    });
  });
}

function judge(ending: RegExp, rule: (file: string, text: string) => string[]): string[] {
  return files.filter((file) => ending.test(file)).flatMap((file) => rule(file, read(file)));
}

function compareVariables(): string[] {
  const declare = (...groups: Settings[]) => groups.flatMap(descriptionsOf).map(({ name }) => name);
  const [, single = '', separate = ''] = read('docs/operate/configuration.md').split(
    /^## (?:Variables|Separate services)$/m,
  );
  const manifests = files.filter((file) => /^k8s\/.*\.(ya?ml|env)$/.test(file)).map(read);
  const compose = { name: 'compose.yaml', names: variables.namesInCompose(read('compose.yaml')) };
  const k8s = { name: 'k8s', names: variables.namesInManifests(manifests.join('\n')) };
  const tableOf = (heading: string, text: string) => [
    { name: `docs/operate/configuration.md, "${heading}",`, names: variables.namesInTables(text) },
  ];
  return [
    ...variables.findUnevenVariables(declare(singleNodeSettings), tableOf('Variables', single)),
    ...variables.findUnevenVariables(
      declare(separateServiceSettings),
      tableOf('Separate services', separate),
    ),
    ...variables.findUnevenVariables(declare(singleNodeSettings, separateServiceSettings), [
      { ...compose, leftOut: variables.leftOutOfCompose },
      { ...k8s, leftOut: variables.leftOutOfKubernetes },
    ]),
  ];
}

/** Of one server for all steps. */
const openApi = readOpenApi();

/** The programs run side by side, and the rules of this process meanwhile. */
const steps: [name: string, run: () => string[] | Promise<string[]>][] = [
  ['types', () => complaintsOf('tsc', '--noEmit', '-p', root)],
  // Code for browsers is checked with the types of a browser, which the server does not have.
  ['types of the dashboard', () => complaintsOf('tsc', '--noEmit', '-p', join(root, 'admin'))],
  ['types of the browser packages', () => complaintsOf('tsc', '--noEmit', '-p', join(root, 'sdk'))],
  ['lint, imports, sizes and format', () => complaintsOf('biome', 'ci', root)],
  ['unused files, exports and dependencies', () => complaintsOf('knip', '--no-progress')],
  [
    'slow expressions',
    () => judge(code, (file, text) => (readsTextFromOutside(file) ? findSlowExpressions(file, text) : [])),
  ],
  ['plain words', () => judge(/./, findDialect)],
  ['references of documents', () => judge(/\.md$/, (file, text) => findDeadReferences(file, text, files))],
  ['links to headings', () => findDeadHeadings(files, read)],
  ['the index of documents', () => findUnlistedPages(files, read)],
  ['commands of documents', () => findUnknownOptions(root, files, read)],
  ['ports', () => judge(/./, findBlockedPorts)],
  ['variables', compareVariables],
  ['NODE_ENV=production behind proxies', () => judge(/./, findClaimable)],
  ['places of figures', () => findUnmeasuredPlaces(files, read)],
  ['failure modes', () => findUnshownFailures(read)],
  ['alerts and runbooks', () => findRunbookFaults(files, read)],
  [
    'metrics',
    () =>
      read(documentPath) === renderDocument()
        ? []
        : [`${documentPath} is old: npm run check -- metrics-document`],
  ],
  [
    'types of the API in the dashboard',
    async () =>
      read(typesPath) === (await renderTypes(await openApi))
        ? []
        : [`${typesPath} is old: npm run check -- dashboard-types`],
  ],
  ['site of documents', async () => buildSite(readPages(await openApi))],
  ['thresholds', () => compareThresholds(read)],
  ['licences', async () => findForbiddenLicences(await makeBill(root))],
  ['packages', () => [...findUndocumentedPackages(read), ...findPublishable(read)]],
];

const failed: string[] = [];
await Promise.all(
  steps.map(async ([name, run]) => {
    const startMs = performance.now();
    const complaints = await (async () => run())().catch((error: Error) => [`${error.stack}`]);
    const isFine = complaints.length === 0;
    if (!isFine) failed.push(name);
    for (const complaint of complaints) console.log(complaint);
    console.log(`${isFine ? '✓' : '✗'} ${name} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
  }),
);
// Only reported: measuring again takes minutes on a quiet machine, which each change of the code cannot wait for.
const digestOf = (part: string) => digestMeasuredCode(part, root, files);
for (const file of files.filter((name) => name.endsWith('.md')))
  for (const old of findOldFigures(file, read(file), digestOf)) console.log(`! ${old}`);
if (failed.length > 0) console.log(`failed before the tests: ${failed.join(', ')}`);
const tests = flags['no-tests'] ? 0 : await runTests(selectTests([]), process.env);
process.exitCode = failed.length > 0 ? 1 : tests;
