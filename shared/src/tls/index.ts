export {
  openTlsFiles,
  type TlsFile,
  type TlsFileSettings,
  type TlsFiles,
  type TlsMaterial,
} from './tls-files.ts';
export { explainTlsFault, TlsRefused, type TlsSubject } from './tls-refused.ts';
