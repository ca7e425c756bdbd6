// `node healthcheck-tls.mjs <path>`: the health check of a process that speaks TLS, for healthcheck.sh.
import https from 'node:https';
import image from './image.json' with { type: 'json' };

/** As in healthcheck.sh. */
const timeoutMs = 2_500;
const [path] = process.argv.slice(2);

const fail = (reason) => {
  process.stderr.write(`${path}: ${reason}\n`);
  process.exit(1);
};
const target = { host: '127.0.0.1', port: Number(process.env.PORT || image.port), path };
// The certificate is for the name of the service in the network, which this address is not.
const request = https.get({ ...target, rejectUnauthorized: false }, (answer) => {
  if (answer.statusCode < 200 || answer.statusCode > 299) fail(`answered ${answer.statusCode}`);
  process.exit(0);
});
request.on('error', (error) => fail(error.code ?? error.message));
setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs).unref();
