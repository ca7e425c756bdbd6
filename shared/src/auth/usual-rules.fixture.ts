import type { TokenRules } from './token-verifier.ts';

/** The rules for tokens when every variable has its default. */
export const usualTokenRules: TokenRules = {
  audiences: [],
  audienceClaim: 'aud',
  issuers: [],
  clockToleranceSeconds: 10,
  maxAgeSeconds: 86_400,
  requireIssuedAt: true,
  viewerClaim: 'sub',
  contentClaim: 'content_ids',
  contentClaimRequired: false,
};
