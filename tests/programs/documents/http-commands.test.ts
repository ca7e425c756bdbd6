import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readApiDocument } from '@latchkey/support/black-box/api-document';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { findFreePort } from '@latchkey/support/find-free-port';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const guide = readDocument('docs/start/http.md');
const port = await findFreePort();
const start = findBlock(readBlocks(guide), 'sh', 'npm start');
const server = await startSingleNode({
  ...readVariables(start),
  PORT: String(port),
  // The guide claims the server without a credential. The tests' own servers have a bootstrap key.
  ADMIN_API_KEY: '',
});

/** The variables before a command, at the port of this test. `SQLITE_PATH` is left to it too. */
function readVariables(command: string): Record<string, string> {
  const here = command.replaceAll('localhost:4100', `127.0.0.1:${port}`);
  const { SQLITE_PATH: _, ...variables } = Object.fromEntries(
    [...here.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
  return variables;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The commands of the guide in their order, each with the remark at the end of its last line. */
function readStatements(): { command: string; remark: string }[] {
  return readBlocks(guide)
    .filter(({ language, text }) => language === 'sh' && text !== start)
    .flatMap(({ text }) =>
      text
        .replace(/ *\\\n */g, ' ')
        .trim()
        .split('\n'),
    )
    .map((line) => {
      const [, command = '', remark = ''] = /^(.*?) +# (.*)$/.exec(line) ?? [];
      return { command, remark };
    });
}

/** Runs a command of curl as bash would. It writes the status after the body. */
async function runCurl(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Answer> {
  const asked = command
    .replace('http://localhost:4100', server.url)
    .replace(/^curl /, "curl --silent --show-error --write-out '\\n%{http_code}' ");
  const { stdout } = await promisify(execFile)('bash', ['-euc', asked], { cwd, env });
  const at = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(at + 1)), text: stdout.slice(0, at) };
}

/** `lease.id of that answer`: the value at this place. */
function readValue(remark: string, { text }: Answer): string {
  const [, path = ''] = /^([\w.]+) of (?:that|the same) answer$/.exec(remark) ?? [];
  const value = path
    .split('.')
    .reduce<unknown>(
      (object, name) => (object as Record<string, unknown> | undefined)?.[name],
      JSON.parse(text),
    );
  if (typeof value !== 'string') throw new Error(`"${remark}" is not in ${text}`);
  return value;
}

it('each command of the guide to the HTTP API, run from top to bottom, gets the status, the code and the members that the guide states', async () => {
  const cwd = makeTestFolder();
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH };
  const token = viewerToken(server.jwtSecret, 'ada');
  let last: Answer = { status: 0, text: '' };
  const statements = readStatements();
  expect(statements.length).toBeGreaterThan(50);
  for (const { command, remark } of statements) {
    const [, name] = /^export (\w+)=\S+…?$/.exec(command) ?? [];
    if (name) {
      env[name] = name === 'TOKEN' ? token : readValue(remark, last);
      continue;
    }
    expect(command, 'a line of the guide').toMatch(/^curl /);
    const [, status, code, members = ''] = /^(\d{3})(?: ([A-Z_]{3,}))?(.*)$/.exec(remark) ?? [];
    last = await runCurl(command, cwd, env);
    expect(`${last.status}: ${command}`).toBe(`${status}: ${command}`);
    if (code) expect(JSON.parse(last.text), command).toMatchObject({ code, status: last.status });
    // `{"leases":[…],"total_active":1}`: those members are there.
    for (const [, member = ''] of members.matchAll(/"(\w+)":/g))
      expect(last.text, command).toContain(`"${member}":`);
  }
});

it('the guide to the HTTP API names each path that the OpenAPI document of a server has', async () => {
  const { operations } = await readApiDocument(server.url);
  // `/keys/{contentId}/{epoch}` is named by `/keys/film/7`, and by `$SESSION` in place of an id.
  const named = (path: string) =>
    new RegExp(`${path.replace(/\{\w+\}/g, '[\\w$-]+')}(?=[\\s'"?\`.])`).test(guide);
  const paths = [...new Set(operations.map((operation) => operation.split(' ')[1] ?? ''))];
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !named(path))).toEqual([]);
});
