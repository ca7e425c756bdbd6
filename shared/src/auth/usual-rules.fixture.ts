import type { TokenRules } from './token-verifier.ts';

/** The rules of tokens where no variable changes them. */
export const usualTokenRules: TokenRules = {
  audience: null,
  issuer: null,
  clockToleranceSeconds: 10,
  maxAgeSeconds: 86_400,
  requireIssuedAt: true,
  viewerClaim: 'sub',
  contentClaim: 'content_ids',
  contentClaimRequired: false,
};
