// hls.js with the viewer's token and lease on key requests only.
import Hls from '/hls.mjs';

/** Seconds to load ahead. A small value shows a revocation soon. Your own player can use hls.js's default of 30. */
const bufferSeconds = 6;

export const canPlay = () => Hls.isSupported();

/**
 * Plays a presentation.
 *
 * @param {{video: HTMLVideoElement, playlist: string, keyServer: string,
 *   credentials: () => {token: string, leaseId: string},
 *   onKey: (request: {period: number, status: number, code: string | undefined, durationMs: number}) => void,
 *   onAsk: (period: number) => void, onFatal: (details: string) => void}} options
 *   `status` is 0 if no answer came
 * @returns {{destroy: () => void}}
 */
export function playWithKeys({ video, playlist, keyServer, credentials, onAsk, onKey, onFatal }) {
  const hls = new Hls({
    maxBufferLength: bufferSeconds,
    maxMaxBufferLength: bufferSeconds,
    backBufferLength: 20,
    enableWorker: false,
    xhrSetup(xhr, url) {
      if (!url.startsWith(`${keyServer}/keys/`)) return;
      const { token, leaseId } = credentials();
      xhr.open('GET', url, true);
      xhr.setRequestHeader('Authorization', `Bearer ${token}`);
      xhr.setRequestHeader('X-Lease-Id', leaseId);
      const period = Number(url.split('/').at(-1));
      const startMs = performance.now();
      onAsk(period);
      xhr.addEventListener('loadend', () => {
        const durationMs = performance.now() - startMs;
        onKey({ period, status: xhr.status, code: problemCode(xhr), durationMs });
      });
    },
  });
  hls.on(Hls.Events.ERROR, (_, { fatal, details, response }) => {
    // A refusal is final, but hls.js 1.7 requests a refused key eight more times, a second apart.
    const refused =
      details === Hls.ErrorDetails.KEY_LOAD_ERROR && response?.code >= 400 && response.code < 500;
    if (refused) hls.stopLoad();
    else if (fatal) onFatal(details);
  });
  hls.loadSource(playlist);
  hls.attachMedia(video);
  return hls;
}

/** The code of an error answer (RFC 9457), such as LEASE_REVOKED. */
function problemCode({ status, response }) {
  if (status < 400) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(response)).code;
  } catch {
    return undefined;
  }
}
