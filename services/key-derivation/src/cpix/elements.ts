import type { Element, Node } from '@xmldom/xmldom';
import { namespaces } from './namespaces.ts';

/** An element's name with the prefix of its namespace: `cpix:ContentKey`. The document itself may use other prefixes. */
export type ElementName = `${keyof typeof namespaces}:${string}`;

const localOf = (name: ElementName) => name.slice(name.indexOf(':') + 1);
const namespaceOf = (name: ElementName) =>
  namespaces[name.slice(0, name.indexOf(':')) as keyof typeof namespaces];

function isElement(node: Node): node is Element {
  return node.nodeType === node.ELEMENT_NODE;
}

export function isNamed(element: Element, name: ElementName): boolean {
  return element.localName === localOf(name) && element.namespaceURI === namespaceOf(name);
}

export function childElements(parent: Element): Element[] {
  return [...parent.childNodes].filter(isElement);
}

export function childrenNamed(parent: Element, name: ElementName): Element[] {
  return childElements(parent).filter((child) => isNamed(child, name));
}

/** The elements at a path of names below one: every `ContentKey` of every `ContentKeyList`. */
export function descendantsAt(parent: Element, ...path: readonly ElementName[]): Element[] {
  return path.reduce<Element[]>(
    (found, name) => found.flatMap((element) => childrenNamed(element, name)),
    [parent],
  );
}

/** @returns the value of an attribute without a namespace; an empty text if the element lacks it */
export function attributeOf(element: Element, name: string): string {
  return (element.getAttribute(name) ?? '').trim();
}

export function textOf(element: Element): string {
  return (element.textContent ?? '').trim();
}

/** Adds an element at the end. The serializer declares its prefix where the document does not. */
export function addElement(parent: Element, name: ElementName, text?: string): Element {
  const document = parent.ownerDocument;
  if (!document) throw new Error('the element belongs to no document');
  const element = document.createElementNS(namespaceOf(name), name);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

export function removeChildren(parent: Element, name: ElementName): void {
  for (const child of childrenNamed(parent, name)) parent.removeChild(child);
}
