// Shows what the server tells everyone about itself. No credential is asked for or kept.
const show = (id, text) => {
  document.getElementById(id).textContent = text;
};

const ask = async (path) => {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  return response.json();
};

for (const element of document.querySelectorAll('.origin')) element.textContent = location.origin;

ask('/health').then(
  ({ version, uptimeSeconds }) =>
    show('health', `running version ${version} for ${Math.round(uptimeSeconds)} s`),
  () => show('health', 'no answer. Is the server running?'),
);
ask('/ready').then(
  ({ dependencies }) =>
    show(
      'ready',
      Object.entries(dependencies)
        .map(([name, { status }]) => `${name} ${status}`)
        .join(', '),
    ),
  () => show('ready', 'no answer'),
);
ask('/api/v1/setup').then(
  ({ setup_required: required, credential }) =>
    show('setup', required ? `open: the first call claims this server (credential: ${credential})` : 'done'),
  () => show('setup', 'no answer'),
);
