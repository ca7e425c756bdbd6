export type { TlsFile, TlsFileSettings, TlsMaterial } from './read-tls-files.ts';
export { describeServiceTls, internalTlsVariableNames, type ServiceTls } from './service-tls.ts';
export { openTlsFiles, type TlsFiles } from './tls-files.ts';
export { explainTlsFault, TlsRefused, type TlsSubject } from './tls-refused.ts';
