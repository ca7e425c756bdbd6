import type { Redis } from 'ioredis';
import type { Tracer } from '../traces/index.ts';

/** Records each command that a request sends, by its name alone: its arguments hold ids of viewers. */
export function traceCommands(redis: Redis, tracer: Tracer): void {
  const send = redis.sendCommand;
  redis.sendCommand = (command, ...more) => {
    const facts = { 'db.system.name': 'redis', 'db.operation.name': command.name };
    const span = tracer.call('client', `redis ${command.name}`, facts);
    if (span)
      command.promise.then(
        () => span.end(),
        () => span.end('refused'),
      );
    return send.call(redis, command, ...more);
  };
}
