import type { Api } from './api.ts';

export interface ShownSetting {
  name: string;
  about: string;
  from: 'default' | 'environment' | 'file';
  /** Null for what is secret or in a file. */
  value: string | null;
}

export interface ProcessSettings {
  service: string;
  address: string;
  variables: ShownSetting[];
  masterKeys: { version: number; fingerprint: string }[];
  keySetAgeMs: number | null;
}

export interface ServerSettings {
  at: string;
  /** Every process that answered. */
  processes: { service: string; address: string; version: string | null; startedAt: string }[];
  /** Missing of a server before 0.3. */
  settings?: { database: { kind: string; bytes: number } | null; processes: ProcessSettings[] };
  missing: { service: string; address: string }[];
}

/** What each process works with, without secrets. */
export async function readSettings(api: Api, signal?: AbortSignal): Promise<ServerSettings> {
  const { statistics } = await api.request<{ statistics: ServerSettings }>('GET', '/api/v1/statistics', {
    query: { steps: 1, settings: 'true' },
    signal,
  });
  return statistics;
}
