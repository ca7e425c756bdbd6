import type { z } from 'zod';
import type { CommandContext } from '../../command-context.ts';
import { refusal } from '../../refusal.ts';
import { hideUrls } from '../../show-url.ts';

/** Longer than the checks behind `/ready` (2.5 s) and the statistics (2.5 s) take when something is silent. */
const answerLimitMs = 6_000;
/** The statistics of an hour are some 100 KB. More is not an answer of Latchkey. */
const longestAnswer = 8 * 1024 * 1024;

export interface LiveServer extends Pick<CommandContext, 'clock' | 'signal'> {
  /** Without a slash at its end. */
  readonly url: string;
}

export type LiveAnswer<T> = Awaited<ReturnType<typeof readJsonAnswer<T>>>;

/**
 * One GET. It is not repeated: an on-call engineer wants to know what happens now.
 *
 * @param apiKey only with it a credential is sent
 * @throws AppError `VALIDATION_FAILED` (exit code 2) with the reason, if no answer comes in time
 */
export async function readJsonAnswer<T>(
  { url, clock, signal }: LiveServer,
  path: string,
  form: z.ZodType<T>,
  apiKey?: string,
) {
  const timeout = AbortSignal.timeout(answerLimitMs);
  const sentAt = clock.now();
  try {
    const answer = await fetch(`${url}${path}`, {
      headers: { accept: 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      // A redirect must not get the API key.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    const receivedAt = clock.now();
    return {
      status: answer.status,
      /** The members that the form has. All are missing if the answer is not JSON. */
      said: form.parse(parse(await readText(answer))),
      headers: answer.headers,
      /** This machine's clock before the question, in milliseconds since 1970. */
      sentAt,
      /** The same after the head of the answer. */
      receivedAt,
    };
  } catch (cause) {
    signal.throwIfAborted();
    const inner = (cause as Error).cause as NodeJS.ErrnoException | undefined;
    const late = `no answer within ${answerLimitMs / 1_000} s`;
    const reason = timeout.aborted
      ? late
      : (inner?.code ?? hideUrls(inner?.message ?? (cause as Error).message));
    throw refusal(`${url}${path} cannot be reached (${reason})`, cause);
  }
}

async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > longestAnswer) throw new Error('the answer is too long for Latchkey');
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
