import type { TokenIssuer, TokenRules } from './token-verifier.ts';

/** The rules for tokens when every variable has its default. */
const usualTokenRules: TokenRules = {
  issuers: [],
  audiences: [],
  audienceClaim: 'aud',
  clockToleranceSeconds: 10,
  maxAgeSeconds: 86_400,
  requireIssuedAt: true,
  viewerClaim: 'sub',
  viewerPrefix: '',
  foreignPrefixes: [],
  contentClaim: 'content_ids',
  contentClaimRequired: false,
  issuerContents: null,
};

/** The one issuer of the variables for one. */
export function usualIssuer(
  { secrets = null, keySet = null }: Partial<TokenIssuer>,
  rules: Partial<TokenRules> = {},
): [TokenIssuer] {
  return [{ name: 'default', secrets, keySet, rules: { ...usualTokenRules, ...rules } }];
}
