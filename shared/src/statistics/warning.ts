/** A configuration setting that the operator should check. */
export interface ConfigurationWarning {
  /** Fixed: programs may rely on it. */
  code: string;
  /** `warning`: open to misuse as it is. `notice`: right for some installations, so check it once. */
  severity: 'warning' | 'notice';
  title: string;
  detail: string;
  /** Where to read more: a document of the project and a heading in it. */
  documentation: string;
}
