/** A UUID as this server writes it (RFC 9562 section 4). What looks otherwise is no lease, and no database is asked. */
const leaseIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isLeaseId(text: string): boolean {
  return leaseIdPattern.test(text);
}
