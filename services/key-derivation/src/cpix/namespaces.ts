/** The namespaces of CPIX and of what it builds on, and of SPEKE 1.0. The prefixes come from the specifications' examples. */
export const namespaces = {
  cpix: 'urn:dashif:org:cpix',
  pskc: 'urn:ietf:params:xml:ns:keyprov:pskc',
  enc: 'http://www.w3.org/2001/04/xmlenc#',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  speke: 'urn:aws:amazon:com:speke',
} as const;
