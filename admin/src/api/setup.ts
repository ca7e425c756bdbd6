import type { Api } from './api.ts';
import type { IssuedApiKey, SetupState } from './resources.ts';

export function readSetup(api: Api, signal?: AbortSignal): Promise<SetupState> {
  return api.request('GET', '/api/v1/setup', { credential: null, signal });
}

/** Claims the server by creating its first API key. @param credential the credential that the server requires, or null */
export function claimServer(api: Api, name: string, credential: string | null): Promise<IssuedApiKey> {
  return api.request('POST', '/api/v1/setup', { body: { name }, credential });
}
