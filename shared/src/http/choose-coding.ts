import type { FastifyReply } from 'fastify';

/** More than any client lists. The bound keeps a header of 16 KiB cheap. */
const mostListed = 32;

/**
 * The coding that a reader prefers (RFC 9110 section 12.5.3). One with `q=0` is refused.
 *
 * @param header `Accept-Encoding`
 * @param codings that the answer can have, the best first
 * @returns null for the text as it is
 */
export function chooseCoding<Coding extends string>(
  header: string | undefined,
  codings: readonly Coding[],
): Coding | null {
  if (header === undefined) return null;
  const weights = new Map(
    header
      .toLowerCase()
      .split(',', mostListed)
      .map((entry): [string, number] => {
        const [name = '', ...parameters] = entry.split(';', 3).map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [name, weight === undefined ? 1 : Number(weight.slice(2))];
      }),
  );
  const weightOf = (name: Coding) => weights.get(name) ?? weights.get('*') ?? 0;
  let best: Coding | null = null;
  let most = weights.get('identity') ?? 0;
  for (const coding of codings) {
    const weight = weightOf(coding);
    if (weight > 0 && (best === null ? weight >= most : weight > most)) {
      best = coding;
      most = weight;
    }
  }
  return best;
}

/** Adds `Accept-Encoding` to `Vary`. */
export function varyByCoding(reply: Pick<FastifyReply, 'getHeader' | 'header'>): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
}
