/* SPDX-License-Identifier: Apache-2.0 */
/* pugixml.cc - read a document, look for elements, write it */
#include <cstdio>
#include <pugixml.hpp>
#include <sstream>
extern "C" {
#include "corpus.h"
}

int main(int argc, char **)
{
	size_t size = corpus_size(argc, 8 << 20), part = 0, sum = 0;
	char *words = corpus_text(1 << 16);
	std::string doc = "<doc>";

	while (doc.size() < size) {
		part = (part + 61) % 60000;
		doc += "<p id='" + std::to_string(part) + "' class='x&amp;y'>" + std::string(words + part, 60) +
			"<b>&lt;" + std::string(words + part / 2, 10) + "</b></p>\n";
	}
	doc += "</doc>";
	for (int i = 0; i < 3; i++) {
		pugi::xml_document d;
		if (!d.load_string(doc.c_str()))
			return 1;
		for (pugi::xml_node p : d.child("doc").children("p"))
			sum += p.attribute("id").as_uint() % 7 + p.child("b").text().as_string()[0];
		for (pugi::xpath_node n : d.select_nodes("/doc/p[@id < 30000]/b"))
			sum += n.node().text().as_string()[1];
		std::ostringstream out;
		d.save(out);
		sum += out.str().size();
	}
	std::printf("%zu\n", sum);
	return 0;
}
