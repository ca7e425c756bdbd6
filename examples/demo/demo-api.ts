import { periodSeconds } from '../src/presentations.ts';
import { createTokenIssuer } from '../token-server/issue-tokens.ts';
import { channel, channelOrigin, demoPresentations } from './live-channel.ts';

export interface DemoApiOptions {
  readonly serverUrl: string;
  /** Never leaves this process. */
  readonly apiKey: string;
  readonly tokenSecret: string;
  /** Length of the video. */
  readonly seconds: number;
}

/** The server side of the application around a player: it issues tokens and revokes leases. */
export interface DemoApi {
  describe(): object;
  /** A viewer's token for one presentation; undefined if the presentation does not exist. */
  issueToken(presentationId: unknown): Promise<object | undefined>;
  /** Revokes a lease with the API key, as an operator would. Returns the key server's answer. */
  revokeLease(leaseId: unknown): Promise<{ status: number; body: string }>;
}

const viewerId = 'demo-viewer';

export function createDemoApi({ serverUrl, apiKey, tokenSecret, seconds }: DemoApiOptions): DemoApi {
  const issuer = createTokenIssuer(tokenSecret);
  return {
    describe: () => ({
      keyServer: serverUrl,
      seconds,
      periodSeconds,
      presentations: demoPresentations.map(({ id, label, contentId }) => {
        const live = id === channel.id ? { origin: channelOrigin } : null;
        return { id, label, contentId, playlist: `/video/${id}/master.m3u8`, live };
      }),
    }),
    async issueToken(presentationId) {
      const presentation = demoPresentations.find(({ id }) => id === presentationId);
      if (!presentation) return undefined;
      return issuer.forViewer(viewerId, presentation.contentId);
    },
    async revokeLease(leaseId) {
      const response = await fetch(`${serverUrl}/keys/leases/revoke`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ leaseId, reason: 'the button of the demonstration' }),
      });
      return { status: response.status, body: await response.text() };
    },
  };
}
