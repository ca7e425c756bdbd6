// A lease of the key server, which is renewed while the viewer watches.

/** A token with less time left is replaced before a renewal, because it must last until the next one. */
const tokenReserveMs = 120_000;
/** The pause after a renewal that got no answer. */
const retryMs = 3_000;

/**
 * Creates a lease and renews it each time after the server's `renew_after_seconds`, which is 75 % of its time.
 *
 * @param {{keyServer: string, contentId: string, deviceId: string, issueToken: () => Promise<object>,
 *   onChange: () => void}} options
 */
export async function takeLease({ keyServer, contentId, deviceId, issueToken, onChange }) {
  let token;
  let tokenEndsAtMs;
  let timer;
  const lease = { id: '', state: 'active', renewals: 0, ttlMs: 0, expiresAtMs: 0, renewsAtMs: 0 };

  async function freshToken() {
    if (token === undefined || performance.now() > tokenEndsAtMs - tokenReserveMs) {
      const issued = await issueToken();
      token = issued.token;
      tokenEndsAtMs = performance.now() + issued.expiresInSeconds * 1_000;
    }
    return token;
  }

  async function post(path, body, more = {}) {
    return send(`${keyServer}${path}`, await freshToken(), body, more);
  }

  /** Counts durations instead of instants: the clocks of server and browser may differ. */
  function hold(answer) {
    const nowMs = performance.now();
    Object.assign(lease, {
      id: answer.lease.id,
      state: answer.lease.state,
      ttlMs: answer.ttl_seconds * 1_000,
      expiresAtMs: nowMs + answer.ttl_seconds * 1_000,
      renewsAtMs: nowMs + answer.renew_after_seconds * 1_000,
    });
    timer = setTimeout(renew, answer.renew_after_seconds * 1_000);
    onChange();
  }

  async function renew() {
    try {
      const answer = await post('/keys/leases/renew', { leaseId: lease.id });
      if (lease.state !== 'active') return;
      lease.renewals += 1;
      hold(answer);
    } catch (error) {
      if (lease.state !== 'active') return;
      if (error.status === undefined || error.status >= 500) timer = setTimeout(renew, retryMs);
      else end(error.code === 'LEASE_REVOKED' ? 'revoked' : 'expired');
    }
  }

  function end(state) {
    clearTimeout(timer);
    lease.state = state;
    onChange();
  }

  hold(await post('/keys/leases', { contentId, deviceId }));
  return {
    lease,
    /** For the headers of a key request. */
    credentials: () => ({ token, leaseId: lease.id }),
    /** For a lease that was revoked elsewhere. */
    markRevoked: () => end('revoked'),
    /** Releases the lease. This also works while the page is being closed. */
    release() {
      if (lease.state !== 'active') return;
      end('released');
      post('/keys/leases/revoke', { leaseId: lease.id }, { keepalive: true }).catch(() => {});
    },
  };
}

/** @throws Error with `status` and `code` if the server refuses */
async function send(url, token, body, more) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), ...more });
  const answer = await response.json();
  if (!response.ok)
    throw Object.assign(new Error(answer.detail), { status: response.status, code: answer.code });
  return answer;
}
