import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Firefox without a window, driven over WebDriver BiDi, because playwright cannot drive the Firefox of Debian. */
export interface Firefox {
  /** @throws Error with Firefox's message if the page cannot be opened */
  open(url: string): Promise<void>;
  /** Runs an expression in the page as if the user had clicked. @returns its value, awaited */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until an expression is true. @throws Error with `otherwise`, evaluated in the page */
  until(expression: string, otherwise: string): Promise<void>;
  /** The errors that pages have written to the console, and exceptions that nobody caught. */
  errors(): readonly string[];
  close(): Promise<void>;
}

/** A start takes two seconds, and more on a busy machine. */
const startTimeoutMs = 60_000;
const untilTimeoutMs = 60_000;
const pollMs = 100;

/** Films play without a click, and Firefox sends nothing to other machines. */
const preferences = {
  'media.autoplay.default': 0,
  'browser.shell.checkDefaultBrowser': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': 'data:,',
};

interface Answer {
  readonly id?: number;
  readonly type: string;
  readonly result?: unknown;
  readonly message?: string;
  /** Of an event. */
  readonly method?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
}

/** @param executablePath of Firefox 115 or newer */
export async function openFirefox(executablePath: string): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'latchkey-firefox-'));
  writePreferences(profile);
  const args = [
    '--headless',
    '--no-remote',
    '--profile',
    profile,
    '--remote-debugging-port',
    '0',
    'about:blank',
  ];
  const child = spawn(executablePath, args, {
    env: { PATH: process.env.PATH, HOME: profile, TMPDIR: tmpdir() },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let written = '';
  const address = await new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error(`Firefox does not start. It wrote:\n${written}`));
    const timer = setTimeout(fail, startTimeoutMs);
    child.once('error', reject).once('close', fail);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(written) ?? [];
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
  const { send, socket, errors } = await connect(`${address}/session`);
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context ?? '';

  async function evaluate(expression: string): Promise<unknown> {
    const asked = {
      expression: `(async () => JSON.stringify(await (${expression})) ?? null)()`,
      target: { context },
    };
    const answer = await send('script.evaluate', { ...asked, awaitPromise: true, userActivation: true });
    const { result, exceptionDetails } = answer as {
      result?: { value?: string | null };
      exceptionDetails?: { text: string };
    };
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value == null ? undefined : JSON.parse(result.value);
  }

  return {
    open: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate,
    errors: () => errors,
    async until(expression, otherwise) {
      const endMs = performance.now() + untilTimeoutMs;
      while (performance.now() < endMs) {
        if (await evaluate(expression).catch(() => false)) return;
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
      throw new Error(`not true: ${expression}; ${JSON.stringify(await evaluate(otherwise).catch(String))}`);
    },
    async close() {
      socket.close();
      child.kill('SIGTERM');
      await closed;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A connection of WebDriver BiDi (https://w3c.github.io/webdriver-bidi): commands and their answers, by number. */
async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (answer: Answer) => void>();
  const errors: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const answer: Answer = JSON.parse(String(data));
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
    if (answer.method === 'log.entryAdded' && answer.params?.level === 'error')
      errors.push(answer.params.text ?? '');
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`Firefox does not answer at ${url}`)));
  });
  async function send(method: string, params: object): Promise<unknown> {
    const id = waiting.size + 1;
    const answer = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  }
  return { send, socket, errors };
}

function writePreferences(profile: string): void {
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
}
