export { connectBus } from './connect-bus.ts';
export { connectNeighbour, type NeighbourAddress } from './connect-neighbour.ts';
export { endOnSignals } from './end-on-signals.ts';
export { explainAndExit } from './explain-and-exit.ts';
export { runService, type ServiceContext } from './run-service.ts';
export { createServiceCore, createServicePorts, type ServiceCore } from './service-core.ts';
export { checkMigrated, databaseDependencies, openServiceDatabase } from './service-database.ts';
export { createServiceProcess, type ServiceProcess, type ServiceProcessOptions } from './service-process.ts';
export { rowSettings, serviceSettings } from './service-settings.ts';
