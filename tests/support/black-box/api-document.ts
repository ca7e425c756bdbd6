import { setTimeout as pause } from 'node:timers/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Environment } from './server-process.ts';

interface MediaType {
  schema?: Record<string, unknown>;
}

interface Operation {
  operationId?: string;
  security?: { credential: string[] }[];
  responses: Record<string, { content?: Record<string, MediaType> }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

/** The OpenAPI document of the server, and checks of answers against it. */
export interface ApiDocument {
  document: OpenApi;
  /** `GET /keys/{contentId}`, … */
  operations: string[];
  /** The documented methods of a path such as `/keys/abc`; empty if the path is not documented. */
  methodsOf(path: string): string[];
  /** Describes each difference of an answer from the document; empty if it is as documented. */
  judge(answer: { method: string; path: string; status: number; type: string; body: unknown }): string[];
}

/** The documents that this process has read. The keys are the settings on which routes depend. */
const documents = new Map<string, ApiDocument>();

/**
 * The document of a server with these settings. It is read once, from the first such server, because to make it takes a server 0.1 s of
 * processor time. Single nodes and separate services have the same document (`tests/oracle`).
 */
export async function findApiDocument(
  baseUrl: string,
  { ENABLE_PRESIGN, LEASE_MODE }: Environment,
): Promise<ApiDocument> {
  const key = `${ENABLE_PRESIGN === 'true'} ${LEASE_MODE === 'off'}`;
  const found = documents.get(key) ?? (await readApiDocument(baseUrl));
  documents.set(key, found);
  return found;
}

/** A gateway waits 10 s for the document of each service. A machine that starts many servers at once may take longer, so a client tries again. */
const tries = 5;

/** Reads `GET /openapi.json`, again after a 503, when its `Retry-After` says. */
export async function readApiDocument(baseUrl: string): Promise<ApiDocument> {
  for (let sent = 1; ; sent++) {
    const response = await fetch(`${baseUrl}/openapi.json`);
    if (response.status === 200) return createApiDocument((await response.json()) as OpenApi);
    const retryAfter = response.headers.get('retry-after');
    if (response.status !== 503 || retryAfter === null || sent === tries)
      throw new Error(`GET /openapi.json answered ${response.status}`);
    await pause(Number(retryAfter) * 1_000);
  }
}

function createApiDocument(document: OpenApi): ApiDocument {
  const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }));
  ajv.addFormat('binary', true);
  // References are paths within the document.
  const { components } = document;
  const validators = new Map<object, ValidateFunction>();
  const paths = Object.entries(document.paths)
    .map(([template, item]) => ({
      item,
      parameters: template.split('{').length,
      pattern: toPattern(template),
    }))
    // A path without parameters comes before one that a parameter would match too (OpenAPI 3.1, section 4.8.8.2).
    .sort((a, b) => a.parameters - b.parameters);
  const find = (path: string) => paths.find(({ pattern }) => pattern.test(path))?.item;

  function validate(schema: Record<string, unknown>, body: unknown): string[] {
    const validator = validators.get(schema) ?? ajv.compile({ ...schema, components });
    validators.set(schema, validator);
    return validator(body) ? [] : [`the body is not as documented: ${ajv.errorsText(validator.errors)}`];
  }

  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    ),
    methodsOf: (path) => Object.keys(find(path) ?? {}).map((method) => method.toUpperCase()),
    judge({ method, path, status, type, body }) {
      const operation = find(path)?.[method.toLowerCase()];
      if (!operation) return [`${method} ${path} is not documented`];
      const response = operation.responses[status];
      if (!response) return [`${method} ${path} has no ${status} in its document`];
      const { content } = response;
      if (!content) return body === '' ? [] : ['a body that is not documented'];
      const media = content[type];
      if (!media) return [`${type} is not among ${Object.keys(content).join(', ')}`];
      return media.schema ? validate(media.schema, body) : [];
    },
  };
}

function toPattern(template: string): RegExp {
  const literal = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}
