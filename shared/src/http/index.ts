export * from './choose-coding.ts';
export {
  type ForeignPageReason,
  foreignPageReason,
  foreignPageReasons,
  isOfAnotherSite,
} from './csrf.ts';
export type { OpenApiDocument } from './describe-routes.ts';
export { readEmptyBody } from './empty-body.ts';
export * from './guard.ts';
export { addHealthRoutes } from './health-routes.ts';
export { createHost } from './host.ts';
export { isTagNamed } from './kept-document.ts';
export * from './list-query.ts';
export { createMutualTls } from './mutual-tls.ts';
export { addOpenApi } from './openapi.ts';
export * from './prefer-minimal.ts';
export { createRateLimiter, type RateLimits } from './rate-limit.ts';
export * from './refusal-audit.ts';
export { type App, gateDecorator } from './routes.ts';
export { addAnswerHeaders } from './send-whole.ts';
export {
  allowsSetupException,
  createSetupOriginReader,
  type SetupExceptionSettings,
  type SetupOrigin,
  startSetupException,
} from './setup-origin.ts';
export {
  acceptJsonBodies,
  instantOf,
  NameSchema,
  readInstant,
  readName,
  validationFailure,
} from './validation.ts';
export { createViewerCeiling } from './viewer-ceiling.ts';
export * from './wait-applied.ts';
export { createWrongSessions } from './wrong-sessions.ts';
