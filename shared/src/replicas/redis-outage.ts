import { ReplyError } from 'ioredis';

/** Different refusals that are told of in one outage. Redis has few, and one outage seldom more than one. */
const mostReasons = 5;

/** Tells of an outage once, however often it is met. */
export interface RedisOutage {
  tell(error: unknown): void;
  /** It is over: the next one is told of again. */
  end(): void;
}

/**
 * A Redis that answers and refuses waits for the operator, unlike one that is not there yet: each refusal (NOAUTH, a
 * database that it does not have) is told of, even where the outage began with something else.
 *
 * @param onFault hears the reason, as an Error that shows no argument of a command, so no password
 */
export function createRedisOutage(onFault: (error: Error) => void): RedisOutage {
  const told = new Set<string>();
  return {
    tell(error) {
      const reason = withoutArguments(error);
      if (told.size > 0 && !(error instanceof ReplyError)) return;
      if (told.has(reason.message) || told.size >= mostReasons) return;
      told.add(reason.message);
      onFault(reason);
    },
    end: () => told.clear(),
  };
}

/** The error of a command carries its arguments, and Redis repeats those of a command that it does not know. */
function withoutArguments(error: unknown): Error {
  const { message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const reason = new Error(message.replace(/,? with args beginning with.*/s, ''));
  return code === undefined ? reason : Object.assign(reason, { code });
}
