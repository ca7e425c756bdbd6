import type { Stack } from '../stack/stack.ts';

/** The fault while revocations are measured; the first condition has none. */
export interface Condition {
  name: string;
  begin(stack: Stack): Promise<void>;
  end(stack: Stack): Promise<void>;
}

const nothing = async () => {};

/** The replica that is cut off from the bus. */
const partitioned = ['key-derivation-3 nats', 'key-derivation-3 redis'];

export const conditions: readonly Condition[] = [
  { name: 'all is well', begin: nothing, end: nothing },
  {
    name: 'NATS killed',
    begin: ({ backings }) => backings.nats.kill(),
    end: ({ backings }) => backings.nats.start(),
  },
  {
    name: 'Redis killed',
    begin: ({ backings }) => backings.redis.kill(),
    end: ({ backings }) => backings.redis.start(),
  },
  {
    name: 'both killed',
    begin: async ({ backings }) => void (await Promise.all([backings.nats.kill(), backings.redis.kill()])),
    end: async ({ backings }) => void (await Promise.all([backings.nats.start(), backings.redis.start()])),
  },
  {
    name: 'one replica cut from both',
    begin: async ({ links }) => {
      for (const name of partitioned) links.get(name)?.cut();
    },
    end: async ({ links }) => {
      for (const name of partitioned) links.get(name)?.heal();
    },
  },
];
