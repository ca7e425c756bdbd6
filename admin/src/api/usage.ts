import type { Api } from './api.ts';

export const usageKinds = ['code', 'content', 'viewer', 'api-key'] as const;
export type UsageKind = (typeof usageKinds)[number];

export const usageRequests = ['keys', 'leases'] as const;
export type UsageRequests = (typeof usageRequests)[number];

export interface UsageQuestion {
  requests: UsageRequests;
  by: UsageKind;
  /** One series alone. */
  id?: string | undefined;
  /** ISO 8601. */
  from: string;
  to: string;
}

export interface UsageSeries {
  served: number;
  refused: number;
  /** Oldest first. A step without a request is left out. */
  points: { at: string; served: number; refused: number }[];
}

export interface Usage {
  /** Why there are no figures. */
  unavailable: 'off' | null;
  by: UsageKind;
  /** Start of the first step, and end of the last one. */
  from: string;
  to: string;
  stepSeconds: number;
  /** Later requests may not have been reported yet. */
  completeUntil: string;
  totals: UsageSeries;
  /** Those with the most requests first. */
  series: ({ id: string } & UsageSeries)[];
  /** All that is not among the series. */
  other: UsageSeries;
  grafanaUrl: string | null;
}

export async function readUsage(api: Api, question: UsageQuestion, signal?: AbortSignal): Promise<Usage> {
  const { usage } = await api.request<{ usage: Usage }>('GET', '/api/v1/usage', {
    query: { ...question },
    signal,
  });
  return usage;
}
