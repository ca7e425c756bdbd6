import { readFile } from 'node:fs/promises';
import {
  createIssuers,
  createKeySet,
  describeUnusableKeys,
  explainToken,
  fetchKeySet,
  judgeKeys,
  type TokenStep,
  tokenPattern,
} from '@latchkey/shared/auth';
import type { Clock } from '@latchkey/shared/clock';
import {
  type Issuer,
  nameIssuerSetting,
  resolveIssuers,
  type SingleNodeValues,
} from '@latchkey/shared/config';
import { explainError } from '../explain-error.ts';
import { refusal } from '../refusal.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** Fetches the key set of each issuer as the server does, and judges each key. */
export async function examineKeySets(values: SingleNodeValues): Promise<Finding[]> {
  const findings = resolveIssuers(values).map(async (issuer) =>
    issuer.jwksUrl === null ? [] : [await examineKeySet(issuer, issuer.jwksUrl)],
  );
  return (await Promise.all(findings)).flat();
}

async function examineKeySet(issuer: Issuer, url: string): Promise<Finding> {
  const about = nameIssuerSetting(issuer, 'jwksUrl');
  try {
    const { usable, unusable } = await judgeKeys(await fetchKeySet(url));
    if (usable.length + unusable.length === 0)
      return wrong(about, 'answers, but without keys', { mend: 'it has to be a JSON Web Key Set' });
    const names = usable.map(({ kid, alg, kty }) => `${kid ?? 'no kid'} (${alg ?? kty})`);
    const good = `answers with ${names.join(', ') || 'no key that can be used'}`;
    const bad = describeUnusableKeys(unusable);
    const says = bad === '' ? good : `${good}; not usable: ${bad}`;
    if (usable.length > 0 && bad === '') return ok(about, says);
    const mend = 'tokens that such keys sign get a 401; replace the keys at the identity provider';
    return (usable.length > 0 ? warning : wrong)(about, says, { mend });
  } catch (error) {
    const mend =
      'until it answers, tokens that it signs get a 503; check the address and the network from this machine';
    return wrong(about, `cannot be fetched: ${explainError(error)}`, { mend });
  }
}

/** Longer than a header may be, and so than any token that reaches the server. */
const mostTokenBytes = 65_536;

/** Verifies a token step by step. The token is a secret: of its text, findings show only the id of the viewer and the contents. */
export async function examineToken(file: string, values: SingleNodeValues, clock: Clock): Promise<Finding[]> {
  const token = await readToken(file);
  const [first, ...others] = createIssuers(values, (_issuer, url) =>
    createKeySet({ fetchJson: () => fetchKeySet(url), clock, onFault: () => {}, onUnusableKeys: () => {} }),
  );
  if (!first)
    throw refusal('no issuer of tokens is configured: set AUTH_JWT_SECRET, AUTH_JWKS_URL or AUTH_ISSUERS');
  const steps = await explainToken(token, [first, ...others], clock);
  return steps.map(({ step, holds, says }) =>
    holds ? ok(step, says) : wrong(step, says, { mend: repairs[step] }),
  );
}

const repairs: Readonly<Record<TokenStep['step'], string>> = {
  issuer: 'compare its iss with AUTH_JWT_ISSUER, or with the issuer of each entry of AUTH_ISSUERS',
  signature: 'compare the secret or the key set on both sides; latchkey doctor examines the key set',
  times: 'issue a new token, and compare the clocks',
  audience: 'compare AUTH_JWT_AUDIENCE and AUTH_JWT_AUDIENCE_CLAIM with the claims of the token',
  viewer: 'set AUTH_JWT_VIEWER_CLAIM to the claim with the id of the viewer',
  'content claim': 'AUTH_JWT_CONTENT_CLAIM names a text or a list of texts',
  contents: 'let the token name contents in the content claim; of AUTH_ISSUERS, contents limits them',
};

/** One line, with or without the word `Bearer`. */
async function readToken(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw refusal(`--token: ${explainError(error)}`);
  }
  const token = text.trim().replace(/^bearer /i, '');
  if (text.length > mostTokenBytes || !tokenPattern.test(token))
    throw refusal(`--token: ${file} has to hold one token: three parts of base64url with dots between them`);
  return token;
}
