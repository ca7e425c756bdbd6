export { answerFlags } from './answer-flags.ts';
export { connectBus } from './connect-bus.ts';
export { connectApiKeys, connectService } from './connect-service.ts';
export { connectStateStore } from './connect-state-store.ts';
export { endOnSignals } from './end-on-signals.ts';
export { explainAndExit, explainRefusal } from './explain-refusal.ts';
export { createProcessBase, type ProcessBase, type ProcessContext } from './process-context.ts';
export { rowSettings, runService, type ServiceContext, serviceSettings } from './run-service.ts';
export { createServiceCore, type ServiceCore } from './service-core.ts';
