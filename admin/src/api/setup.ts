import type { Api } from './api.ts';
import type { IssuedApiKey, SetupState } from './resources.ts';

export function readSetup(api: Api, signal?: AbortSignal): Promise<SetupState> {
  return api.request('GET', '/api/v1/setup', { credential: null, signal });
}

/** Claims the server: its first API key. @param credential what the server demands, or null */
export function claimServer(api: Api, name: string, credential: string | null): Promise<IssuedApiKey> {
  return api.request('POST', '/api/v1/setup', { body: { name }, credential });
}
