import type { RedisConnection } from '@latchkey/shared/replicas';
import { oneKey } from '../pace/key-pace.ts';

/** The number of keys that are left, and whether the key was counted now. */
type Answer = [left: string, counted: number];

/** A command on its way to Redis, or its answer on the way back. */
interface Command {
  readonly name: string;
  readonly args: readonly number[];
  readonly end: (answer: Answer | undefined) => void;
  answer?: Answer;
}

interface StoredBucket {
  level: number;
  atMs: number;
  given: readonly number[];
}

/** The buckets of `shared-pace.ts` in Redis. Every wait is a step of the simulation, and with faults anything may be lost. */
export class SimulatedRedis {
  readonly commands: Command[] = [];
  isUp = true;
  /** Keys that Redis counted, of which no replica got word. */
  lostAnswers = 0;
  #buckets = new Map<string, StoredBucket>();
  readonly #clock: { monotonic(): number };
  readonly #random: (below: number) => number;
  readonly #hasFaults: boolean;

  constructor(clock: { monotonic(): number }, random: (below: number) => number, hasFaults: boolean) {
    this.#clock = clock;
    this.#random = random;
    this.#hasFaults = hasFaults;
  }

  /** It starts again, empty. */
  lose(): void {
    this.#buckets = new Map();
  }

  /** It runs one of the commands, or an answer arrives. */
  progress(): void {
    const [command] = this.commands.splice(this.#random(this.commands.length || 1), 1);
    if (!command) return;
    const isLost = this.#hasFaults && this.#random(6) === 0;
    if (command.answer === undefined && !isLost) {
      command.answer = this.#run(command);
      this.commands.push(command);
      return;
    }
    if (command.answer !== undefined && isLost) this.lostAnswers++;
    command.end(isLost ? undefined : command.answer);
  }

  /** Does the same as the script, in one step. */
  #run({ name, args }: Command): Answer {
    const [epoch = 0, burst = 0, rate = 0, remembered = 0, ownLevel = 0] = args;
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(name);
    const filled = bucket ? Math.min(burst, bucket.level + (now - bucket.atMs) * rate) : burst;
    if (bucket?.given.includes(epoch)) return [String(filled), 0];
    const level = Math.min(filled, ownLevel);
    if (level < oneKey) return [String(level - 1), 0];
    const left = Math.max(0, level - 1);
    const given = [...(bucket?.given ?? []), epoch].slice(-remembered);
    this.#buckets.set(name, { level: left, atMs: now, given });
    return [String(left), 1];
  }

  /** The connection of one replica. */
  connect(): RedisConnection {
    const takeKey = (name: string, ...args: number[]) =>
      new Promise<Answer | undefined>((end) => this.commands.push({ name, args, end }));
    const redis = { defineCommand: () => {}, takeKey };
    return {
      redis,
      isUp: () => this.isUp,
      attempt: (command: (redis: unknown) => unknown) =>
        this.isUp ? command(redis) : Promise.resolve(undefined),
      close: () => {},
    } as unknown as RedisConnection;
  }
}
