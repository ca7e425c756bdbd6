import { expect, test } from 'vitest';
import { redactQuery } from './redact-query.ts';

test.each([
  ['/keys/a', '/keys/a'],
  ['/keys/a?', '/keys/a?***'],
  ['/keys/a?access_token=eyJ.x.y', '/keys/a?access_token=***'],
  ['/keys/a?access_token=eyJ&lease_id=7', '/keys/a?access_token=***&lease_id=***'],
  ['/keys/a?access_token=a=b=c', '/keys/a?access_token=***'],
  ['/keys/a?access_token', '/keys/a?access_token=***'],
  ['/keys/a?x=1?access_token=secret', '/keys/a?x=***'],
  ['/keys/a?eyJhbGciOiJIUzI1NiJ9eyJhbGciOiJIUzI1NiJ9=', '/keys/a?***'],
  ['/keys/a?a%3Dsecret', '/keys/a?***'],
  ['/keys/a?&&', '/keys/a?***&***&***'],
])('%s is written as %s', (url, written) => expect(redactQuery(url)).toBe(written));
