/** Sends requests as players and admins do. Gateways take turns. */
export interface Players {
  /** Uses only these gateways from now on. Resolves when no request at another one is still running. */
  useGateways(urls: readonly string[]): Promise<void>;
  ask(question: Question): Promise<Reply>;
}

export interface Question {
  method?: 'GET' | 'POST';
  path: string;
  /** The bootstrap key or a viewer's token. */
  as: string;
  leaseId?: string;
  json?: unknown;
  /** This gateway instead of the next one. */
  gateway?: string;
}

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answered
  json: any;
  /** The answer's `Retry-After` in seconds, or null. */
  retryAfterSeconds: number | null;
}

const timeoutMs = 30_000;

export function createPlayers(): Players {
  let gateways: readonly string[] = [];
  let turn = 0;
  /** Number of running requests at each gateway. */
  const asked = new Map<Promise<unknown>, string>();

  return {
    async useGateways(urls) {
      gateways = urls;
      await Promise.allSettled([...asked].flatMap(([reply, origin]) => (urls.includes(origin) ? [] : reply)));
    },
    async ask(question) {
      const origin = question.gateway ?? gateways[turn++ % gateways.length] ?? '';
      const reply = askAt(origin, question);
      asked.set(reply, origin);
      return await reply.finally(() => asked.delete(reply));
    },
  };
}

async function askAt(origin: string, { method = 'GET', path, as, leaseId, json }: Question): Promise<Reply> {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${as}`,
      ...(leaseId === undefined ? {} : { 'x-lease-id': leaseId }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get('content-type')?.includes('json');
  const retryAfter = answer.headers.get('retry-after');
  return {
    status: answer.status,
    json: isJson ? JSON.parse(body.toString()) : body.toString('hex'),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}
