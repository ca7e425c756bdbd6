// A key server inside of nginx (njs): verifies a viewer's token (HS256), derives the key, and nothing else.
// biome-ignore lint/style/useNodejsImportProtocol: this runs in nginx, whose module has this name.
import crypto from 'crypto';

const secret = process.env.TOKEN_SECRET;
// HKDF-Extract (RFC 5869 section 2.2), once for each process.
const extracted = crypto.createHmac('sha256', Buffer.alloc(32, 2)).update(Buffer.alloc(32, 1)).digest();

function isValid(token) {
  const parts = token.split('.');
  if (parts.length !== 3) return false;
  const head = JSON.parse(Buffer.from(parts[0], 'base64url').toString());
  if (head.alg !== 'HS256') return false;
  const signature = crypto.createHmac('sha256', secret).update(`${parts[0]}.${parts[1]}`).digest('base64url');
  if (signature !== parts[2]) return false;
  const claims = JSON.parse(Buffer.from(parts[1], 'base64url').toString());
  return typeof claims.sub === 'string' && claims.exp * 1000 > Date.now();
}

function serve(request) {
  const credential = request.headersIn.Authorization || '';
  let isAllowed = false;
  try {
    isAllowed = isValid(credential.slice(7));
  } catch (_error) {
    isAllowed = false;
  }
  if (!isAllowed) {
    request.return(401);
    return;
  }
  const info = request.uri.slice('/keys/'.length);
  const block = crypto
    .createHmac('sha256', extracted)
    .update(info)
    .update(Buffer.from([1]))
    .digest();
  request.headersOut['Content-Type'] = 'application/octet-stream';
  request.headersOut['Cache-Control'] = 'no-store';
  request.return(200, block.slice(0, 16));
}

export default { serve };
