import { ReplyError } from 'ioredis';

/** Maximum number of different refusals reported in one outage. Redis has few, and one outage seldom more than one. */
const mostReasons = 5;

/** Reports an outage once, however often it is noticed. */
export interface RedisOutage {
  tell(error: unknown): void;
  /** The outage is over: the next one is reported again. */
  end(): void;
}

/**
 * A Redis that answers with a refusal waits for the operator, unlike one that has not started yet. So each refusal
 * (NOAUTH, a missing database) is reported, even where the outage began with another error.
 *
 * @param onFault called with the reason, as an Error without a command's arguments, so without a password
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

/** A command's error carries its arguments, and Redis repeats those of an unknown command. */
function withoutArguments(error: unknown): Error {
  const { message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const reason = new Error(message.replace(/,? with args beginning with.*/s, ''));
  return code === undefined ? reason : Object.assign(reason, { code });
}
