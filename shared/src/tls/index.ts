export { describeServiceTls, internalTlsVariableNames, type ServiceTls } from './service-tls.ts';
export {
  openTlsFiles,
  type TlsFile,
  type TlsFileSettings,
  type TlsFiles,
  type TlsMaterial,
} from './tls-files.ts';
export { explainTlsFault, TlsRefused, type TlsSubject } from './tls-refused.ts';
