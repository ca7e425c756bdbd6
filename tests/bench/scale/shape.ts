/** How many gateways stand before how many replicas of key-derivation. */
export interface Shape {
  gateways: number;
  replicas: number;
}

/**
 * @param text such as `1x1,1x2,2x4`: gateways times replicas
 * @throws Error if it has another form
 */
export function parseShapes(text: string): Shape[] {
  return text.split(',').map((part) => {
    const [, gateways = '', replicas = ''] = /^([1-9]\d?)x([1-9]\d?)$/.exec(part) ?? [];
    if (gateways === '')
      throw new Error(`"${part}" is not a shape. Write 1x4 for one gateway before 4 replicas`);
    return { gateways: Number(gateways), replicas: Number(replicas) };
  });
}

export function nameOf({ gateways, replicas }: Shape): string {
  return `${gateways} × ${replicas}`;
}
