import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { writeFinding } from '@latchkey/support/measured/finding';
import { repositoryFolder } from '@latchkey/support/repository';
import { listSourceFiles } from '@latchkey/support/source-files';
import { type DocumentedStack, openDocumentedStack } from './documented-stack.ts';
import { measureUpgrade } from './documented-upgrade.ts';

const document = readDocument('docs/operate/containers.md');
const block = (words: string, language = 'sh') => findBlock(readBlocks(document), language, words);
/** How many containers of key-derivation the document scales to. */
const replicas = Number(/KEY_DERIVATION_REPLICAS=(\d+)/.exec(block('echo KEY_DERIVATION_REPLICAS'))?.[1]);

/** A command in a sentence of the document. @throws Error if the document does not have it */
function inline(words: string): string {
  const text = [...document.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const found = text.find((code) => code.includes(words));
  if (!found) throw new Error(`the document has no command with "${words}"`);
  return found;
}

const up = inline('docker compose up --detach');

/** Name of a step, and what it does. */
type Step = (name: string, run: () => Promise<void>) => Promise<void>;

export interface DocumentedOptions {
  /** An empty folder. */
  readonly folder: string;
  /** Name of its Compose project. */
  readonly name: string;
  /** A tag that no release uses. */
  readonly tag: string;
  readonly step: Step;
}

/**
 * Does everything that docs/operate/containers.md tells an operator to do, with the commands as they stand there. After each
 * operation there are as many replicas of key-derivation as before, and every key is the same.
 */
export async function runDocumentedOperations(options: DocumentedOptions): Promise<void> {
  const { folder, step } = options;
  for (const file of listSourceFiles(repositoryFolder).filter((name) => !/(^|\/)\.env/.test(name)))
    cpSync(join(repositoryFolder, file), join(folder, file));
  const stack = await openDocumentedStack(options);
  try {
    await runServices(stack, step);
    await runSingleNode(stack, step);
    await runImages(stack, step);
  } finally {
    await stack.remove();
  }
}

async function runServices(stack: DocumentedStack, step: Step): Promise<void> {
  const env = join(stack.folder, '.env');
  let firstKey = '';
  const isAsBefore = async () => {
    await stack.ready();
    await stack.healthy('key-derivation');
    assert.equal((await stack.containers('key-derivation')).length, replicas);
    // More requests than replicas, so that each gets one.
    for (let sent = 0; sent < 20 * replicas; sent++) assert.equal(await stack.key('first'), firstKey);
  };
  await step('the commands of the quick start begin a stack with secrets of its own', async () => {
    const [first, last] = block('keygen --out .env').split(/^(?=curl .*ready)/m);
    await stack.run(first ?? '');
    await stack.ready();
    assert.match(await stack.run(last ?? ''), /"items":\[\],"total":0/);
    await stack.register('first');
    firstKey = await stack.key('first');
  });
  await step(
    'the key requests that fail in an upgrade of one container of each service are counted',
    async () => {
      const table = await measureUpgrade(stack, { inTurn: block('git pull'), allAtOnce: up }, 'first');
      console.log(table);
      writeFinding('upgrade', table, 'npm test', ['compose']);
      assert.equal(await stack.key('first'), firstKey);
    },
  );
  await step(`the commands for scaling give ${replicas} replicas`, async () => {
    await stack.run(block('echo KEY_DERIVATION_REPLICAS'));
    await isAsBefore();
  });
  await step('SIGHUP ends no container', async () => {
    await stack.run('docker compose kill -s HUP');
    await isAsBefore();
  });
  await step('the edge takes the place of gateway and key-derivation at each `up`, and gives it back', () =>
    chooseEdge(stack, isAsBefore),
  );
  await step('a second version of the master key leaves replicas and keys as they were', async () => {
    await stack.run(`${inline('keygen --version-number 2')}\n${up}`);
    await isAsBefore();
    const [list, complaints] = block('docker compose ps key-derivation').split('\n');
    assert.equal((await stack.run(list ?? '')).match(/\(healthy\)/g)?.length, replicas);
    // grep ends with 1 if it shows nothing.
    assert.equal(await stack.run(`${complaints} || true`), '');
  });
  await step('the way back from it deletes the version, while no content uses it', async () => {
    assert.match(await stack.run(block('DELETE FROM key_versions')), /^DELETE 1$/m);
    writeFileSync(env, readFileSync(env, 'utf8').replace(/^\w+_V2=.*\n/gm, ''));
    await stack.run(up);
    await isAsBefore();
  });
  await step('an upgrade leaves replicas and keys as they were', async () => {
    // `up` makes new containers where a setting has changed, as it does for new images.
    appendFileSync(env, 'LOG_LEVEL=warn\n');
    // This folder is a copy, and has nothing to pull from.
    await stack.run(block('git pull').replace('git pull && ', ''));
    await isAsBefore();
  });
  await restoreWithSecretsInFiles(stack, step, isAsBefore);
}

/** Does what the document has under "As files instead of variables" and "Backup". At its end nothing runs, and the secrets are in `.env` again. */
async function restoreWithSecretsInFiles(
  stack: DocumentedStack,
  step: Step,
  isAsBefore: () => Promise<void>,
): Promise<void> {
  const env = join(stack.folder, '.env');
  const withSecrets = readFileSync(env, 'utf8');
  await step('secrets as files leave replicas and keys as they were', async () => {
    mountSecrets(stack.folder);
    await stack.run(up);
    await isAsBefore();
  });
  await step('a restored backup has the content of its time, and not what came later', async () => {
    await stack.run(block('pg_dump'));
    assert.equal(statSync(join(stack.folder, 'latchkey.dump')).mode & 0o077, 0);
    await stack.register('later');
    await stack.key('later');
    await stack.run(block('pg_restore'));
    await isAsBefore();
    await assert.rejects(stack.key('later'), /404/);
  });
  await stack.run('docker compose down');
  // The single node reads its secrets from .env, because the override is for key-derivation.
  writeFileSync(env, withSecrets);
  rmSync(join(stack.folder, 'compose.override.yaml'));
}

/** Does what the document has under "The edge process", and reverts it. Each choice holds at a second `up`. */
async function chooseEdge(stack: DocumentedStack, isAsBefore: () => Promise<void>): Promise<void> {
  const key = await stack.key('first');
  await stack.run(block('COMPOSE_PROFILES=edge GATEWAY_REPLICAS=0'));
  for (const again of [up, '']) {
    await stack.ready();
    assert.equal(await stack.key('first'), key);
    for (const service of ['gateway', 'key-derivation'])
      assert.deepEqual(await stack.containers(service), ['']);
    await stack.run(again);
  }
  await stack.run(block('rm --stop --force edge'));
  for (const again of [up, '']) {
    await isAsBefore();
    await stack.run(again);
  }
}

/** Does what the document has under "As files instead of variables". */
function mountSecrets(folder: string): void {
  const override = block('/run/secrets/', 'yaml');
  writeFileSync(join(folder, 'compose.override.yaml'), override);
  const env = readFileSync(join(folder, '.env'), 'utf8');
  const values = parseEnv(env);
  mkdirSync(join(folder, 'secrets'));
  const variables = [...override.matchAll(/file: \.\/secrets\/(\w+)/g)].map(([, variable = '']) => variable);
  assert.equal(variables.length, 2);
  for (const variable of variables) {
    const file = join(folder, 'secrets', variable);
    writeFileSync(file, `${values[variable]}\n`);
    // The process reads it as uid 1000.
    chmodSync(file, 0o444);
  }
  const empty = (line: string, name: string) => (variables.includes(name) ? `${name}=` : line);
  writeFileSync(join(folder, '.env'), env.replace(/^(\w+)=.*$/gm, empty));
}

async function runSingleNode(stack: DocumentedStack, step: Step): Promise<void> {
  const [up = '', down = ''] = block('up --build --detach single-node').split('\n');
  await step('the single node runs with the same .env, and is backed up while it runs', async () => {
    await stack.run(up);
    await stack.ready();
    await stack.run(block('s.backup'));
    const backup = readFileSync(join(stack.folder, 'backup.db'));
    // The first bytes of every SQLite file: https://www.sqlite.org/fileformat.html, section 1.3.
    assert.equal(backup.subarray(0, 15).toString(), 'SQLite format 3');
    await stack.run(down);
  });
}

async function runImages(stack: DocumentedStack, step: Step): Promise<void> {
  await step('the image of the command line makes secrets, in a file for its owner alone', async () => {
    await stack.run(`rm .env\n${block('PACKAGE=cli')}`);
    const file = join(stack.folder, '.env');
    assert.match(parseEnv(readFileSync(file, 'utf8')).MASTER_KEY_HEX ?? '', /^[0-9a-f]{64}$/);
    assert.equal(statSync(file).mode & 0o077, 0);
  });
  await step('the single node without Compose makes its own secrets', async () => {
    await stack.run(block('docker run --detach'));
    await stack.readyAlone();
  });
  await step('the image of one service builds by itself', async () => {
    await stack.run(block('PACKAGE=services/leases'));
  });
}
