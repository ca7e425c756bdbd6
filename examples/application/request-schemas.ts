// JSON Schema of the requests. Fastify refuses anything else with 400.

export const text = { type: 'string', minLength: 1, maxLength: 200 };
export const yesOrNo = { type: 'boolean' };
/** As the key server accepts it. */
export const contentId = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,256}$' };

/** An object with exactly these members. */
export function bodyOf(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
