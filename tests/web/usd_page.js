// For the page of usd.mjs: three.js's own loader of USD.
import { USDLoader } from "three/addons/loaders/USDLoader.js";

// Names, places and numbers of triangles of what it makes of a file.
window.readUsd = (text) => {
    const found = [];
    const group = new USDLoader().parse(text);
    group.updateMatrixWorld(true);
    group.traverse((object) => {
        if (object.isMesh)
            found.push({ name: object.name, matrix: object.matrixWorld.elements, triangles: object.geometry.attributes.position.count / 3, x: Array.from(object.geometry.attributes.position.array) });
    });
    return found;
};
