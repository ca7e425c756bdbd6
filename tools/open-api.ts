import { join } from 'node:path';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';

/** An OpenAPI document, as far as the tools read it. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: { credential: string[] }[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

/** By media type. */
export type Content = Record<string, { schema?: Schema }>;

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

/** The `/openapi.json` of a server that is started for it. */
export async function readOpenApi(): Promise<OpenApi> {
  const folder = makeFolder();
  const path = join(folder.path, 'latchkey.db');
  const env = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: '0', SQLITE_PATH: path };
  const server = startProcess(folder.path, env);
  try {
    const response = await fetch(`${await server.listens()}/openapi.json`);
    if (!response.ok) throw new Error(`GET /openapi.json answered ${response.status}`);
    return (await response.json()) as OpenApi;
  } finally {
    server.kill('SIGKILL');
    await server.ended();
    folder.remove();
  }
}
