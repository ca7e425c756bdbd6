import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../config/index.ts';
import { openDatabase } from '../db/index.ts';
import { startMetricsListener } from '../metrics/metrics.ts';
import { makeTestFolder } from '../testing/test-folder.ts';
import { explainAndExit, explainRefusal } from './explain-refusal.ts';

async function listen(port: number, host = '127.0.0.1'): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  onTestFinished(() => void server.close());
  return server;
}

async function takenPort(): Promise<number> {
  const address = (await listen(0)).address();
  return typeof address === 'object' && address ? address.port : 0;
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => error,
  );

describe('a listener that cannot be had names its variable and what is accepted', () => {
  it('a port in use is reported as PORT, with the accepted forms', async () => {
    const port = await takenPort();
    const said = explainRefusal(await errorOf(listen(port)), {});
    expect(said).toContain(`PORT is ${port}, but something listens on port ${port} of 127.0.0.1 already`);
    expect(said).toMatch(/EADDRINUSE.*Accepted: a port that is free, and another one than METRICS_PORT/);
  });

  it('a port in use by the listener of the metrics is reported as METRICS_PORT', async () => {
    const port = await takenPort();
    const said = explainRefusal(await errorOf(startMetricsListener(new Registry(), '127.0.0.1', port)), {});
    expect(said).toMatch(new RegExp(`^METRICS_PORT is ${port}, .*another one than PORT;`));
  });

  it('an address that the machine does not have is reported as HOST', async () => {
    // 192.0.2.0/24 is for documentation (RFC 5737): no machine has an address of it.
    const said = explainRefusal(await errorOf(listen(0, '192.0.2.1')), {});
    expect(said).toMatch(
      /^HOST is 192\.0\.2\.1, which is not an address of this machine.*Accepted: .*0\.0\.0\.0/,
    );
  });

  it('a port that the user may not listen on is reported as PORT', () => {
    const refused = { code: 'EACCES', syscall: 'listen', address: '0.0.0.0', port: 80 };
    const said = explainRefusal(Object.assign(new Error('listen EACCES'), refused), {});
    expect(said).toMatch(/^PORT is 80, which this user may not listen on.*Accepted: a port from 1024 on/);
  });
});

describe('a SQLITE_PATH that cannot be used is named with what is accepted', () => {
  function explain(place: (folder: string) => string): string | undefined {
    const folder = makeTestFolder();
    writeFileSync(join(folder, 'text'), 'this is no database, and long enough to be sure of it '.repeat(50));
    mkdirSync(join(folder, 'sub'));
    const sqlitePath = place(folder);
    try {
      openDatabase({ sqlitePath });
    } catch (error) {
      return explainRefusal(error, { SQLITE_PATH: sqlitePath })?.replaceAll(folder, '~');
    }
    return undefined;
  }

  it.each([
    ['a folder', 'sub', 'which is a folder'],
    ['a file of another kind', 'text', 'which is a file of another kind'],
    ['below a file', 'text/latchkey.db', 'which lies below a file'],
    ['far below a file', 'text/data/latchkey.db', 'which lies below a file'],
  ])('%s', (_, path, what) => {
    const said = explain((folder) => join(folder, path));
    expect(said).toMatch(new RegExp(`^SQLITE_PATH is "~/${path}", ${what}.*Accepted: the path of a SQLite`));
  });
});

it('an error that no variable causes is not explained', () => {
  const mkdir = { code: 'EACCES', syscall: 'mkdir', path: '/elsewhere' };
  const errors = [
    'only words',
    new TypeError('x is not a function'),
    Object.assign(new Error('no such column'), { code: 'SQLITE_ERROR' }),
    Object.assign(new Error('mkdir'), mkdir),
  ];
  for (const error of errors) expect(explainRefusal(error, {})).toBe(undefined);
});

/** The text that is written for an error, and the code of the exit. */
function explained(error: unknown): { text: string; code: number | undefined } {
  let text = '';
  let code: number | undefined;
  const write = (part: string) => {
    text += part;
  };
  const exit = (given: number) => {
    code = given;
  };
  const process = { stderr: { write }, exit };
  explainAndExit(error, process as never, {});
  return { text, code };
}

it('a refusal by the configuration or the system is explained in words, without a stack', () => {
  const foreseen = [
    new ConfigError([{ variable: 'PORT', message: 'PORT is not a number' }]),
    Object.assign(new Error('listen EADDRINUSE: address already in use 127.0.0.1:4100'), {
      code: 'EADDRINUSE',
    }),
    Object.assign(new Error('no such column: x'), { code: 'SQLITE_ERROR' }),
    Object.assign(new Error('password authentication failed for user "latchkey"'), { code: '28P01' }),
    Object.assign(new Error('the master key of version 1 is not the one'), { forOperator: true }),
  ];
  for (const error of foreseen)
    expect(explained(error)).toEqual({ text: `Latchkey did not start.\n${error.message}\n`, code: 1 });
});

it("the explanation of a system's refusal names the variable that causes it", () => {
  const cannotOpen = Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
  const { text, code } = explained(cannotOpen);
  expect(code).toBe(1);
  expect(text).toMatch(/^Latchkey did not start\.\nSQLITE_PATH is "data\/latchkey\.db", .*Accepted: .*\n$/);
});

it('an unexpected error is shown with its stack', () => {
  const mistakes = [
    new TypeError('x is not a function'),
    Object.assign(new Error('odd'), { code: 'ERR_INVALID_ARG_TYPE' }),
  ];
  for (const error of mistakes) expect(explained(error).text).toMatch(/\n\s+at .*explain-refusal\.test/);
  expect(explained('only words').text).toBe('Latchkey did not start.\nonly words\n');
});

it('the answer to an unknown flag says where the configuration is', () => {
  const refused = Object.assign(new TypeError("Unknown option '--port'"), {
    code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION',
  });
  expect(explained(refused).text).toBe(
    "Latchkey did not start.\nUnknown option '--port'\nThe configuration is in environment variables: --help names them.\n",
  );
});
