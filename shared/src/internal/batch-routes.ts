import { BatchAnswerSchema, batchSchema, createRecordReader, nullable } from '../contracts/index.ts';
import type { App } from '../http/index.ts';
import { type Static, type TSchema, Type } from '../schema/type.ts';
import { alone } from './gather-reads.ts';
import type { InternalClient } from './internal-client.ts';

/** 64 keys of 16 KiB, which is what Node accepts as the head of a request (`maxHeaderSize`), escaped as JSON. */
const bodyLimitBytes = 64 * 2 * 16 * 1_024;

/** One kind of look-up that other services make in batches. */
interface BatchRead<Key extends TSchema, State extends TSchema> {
  path: string;
  KeySchema: Key;
  StateSchema: State;
}

/** Adds the route that answers batches, which needs `INTERNAL_SECRET`. */
export function addBatchRoute<Key extends TSchema, State extends TSchema>(
  app: App,
  { path, KeySchema, StateSchema }: BatchRead<Key, State>,
  read: {
    /** Reads all of them. If it rejects, the caller is told to read one by one, unless the database is away. */
    readMany: (keys: Static<Key>[]) => Promise<(Static<State> | null)[]>;
    /** The head of the change feed, where answers carry it. It is read before the first row. */
    head?: () => Promise<number>;
  },
): void {
  const values = Type.Array(nullable(StateSchema));
  app.post(
    path,
    {
      bodyLimit: bodyLimitBytes,
      config: { access: 'internal' },
      schema: {
        hide: true,
        body: batchSchema(KeySchema),
        response: { 200: Type.Object({ ...BatchAnswerSchema.properties, values }) },
      },
    },
    async (request) => {
      const asOf = await read.head?.();
      const { keys } = request.body as { keys: Static<Key>[] };
      const found = { values: (await read.readMany(keys)) as never };
      return asOf === undefined ? found : { ...found, asOf };
    },
  );
}

const readAnswer = createRecordReader(BatchAnswerSchema);

/**
 * Makes the function that asks another service for a batch, as `gatherReads` needs it.
 *
 * @param toValue makes what a single read returns
 */
export function createBatchReader<Key extends TSchema, State extends TSchema, V>(
  client: InternalClient,
  { path, StateSchema }: BatchRead<Key, State>,
  toValue: (state: Static<State> | null, asOf: number | undefined) => V | typeof alone,
): (keys: readonly Static<Key>[]) => Promise<(V | typeof alone)[]> {
  const readState = createRecordReader(nullable(StateSchema));
  return (keys) =>
    client.readMany(path, { keys }, (body) => {
      const answer = readAnswer(body);
      if (answer?.values.length !== keys.length) throw new TypeError('the answer does not fit the batch');
      return answer.values.map((value) => {
        const state = readState(value) as Static<State> | null | undefined;
        return state === undefined ? alone : toValue(state, answer.asOf);
      });
    });
}
